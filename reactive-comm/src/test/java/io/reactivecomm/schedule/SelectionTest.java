package io.reactivecomm.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Operation;
import io.reactivecomm.collective.Signature;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectionTest {

    private static String name(Operation operation, DType type, long count, int size) {
        return Selection.DEFAULT.algorithm(new Signature(operation, type, count, 0, ReduceOp.SUM), size).name();
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32, 2048, 2, gather-fold",
        "FLOAT32, 2049, 2, rank-order-direct",
        "INT8, 1024, 16, gather-fold",
        "INT8, 1025, 16, rank-order-direct",
        "FLOAT64, 1000000, 1, gather-fold",
        "FLOAT32, 0, 257, gather-fold"
    })
    void allReduce_goesBySizeInBytesTimesRanks(DType type, long count, int size, String expected) {
        assertThat(name(Operation.ALL_REDUCE, type, count, size)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32, 262144, 4, rank-order-chain",
        "FLOAT32, 262143, 4, direct",
        "FLOAT32, 262144, 3, direct",
        "BFLOAT16, 524288, 9, rank-order-chain"
    })
    void reduce_goesByTheChainWhenLargeAndOnMany(DType type, long count, int size, String expected) {
        assertThat(name(Operation.REDUCE, type, count, size)).isEqualTo(expected);
    }

    @Test
    void others_haveOneAlgorithm() {
        assertThat(name(Operation.BROADCAST, DType.INT8, 1 << 30, 9)).isEqualTo("binomial");
        assertThat(name(Operation.ALL_GATHER, DType.INT8, 1, 9)).isEqualTo("direct");
        assertThat(name(Operation.REDUCE_SCATTER, DType.INT8, 1, 9)).isEqualTo("rank-order-direct");
        assertThat(name(Operation.BARRIER, DType.UINT8, 0, 9)).isEqualTo("dissemination");
    }

    @Test
    void message_hasNothingToChoose() {
        assertThatThrownBy(() -> name(Operation.MESSAGE, DType.INT8, 1, 2)).isInstanceOf(IllegalArgumentException.class);
    }
}
