package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperationTest {

    /** As in nccl-tests' doc/PERFORMANCE.md. */
    @ParameterizedTest
    @CsvSource({
        "all-reduce, 4, 1.5",
        "inference all-reduce, 4, 1.5",
        "all-reduce, 1, 0",
        "all-gather, 4, 0.75",
        "reduce-scatter, 8, 0.875",
        "all-to-all, 2, 0.5",
        "gather, 4, 0.75",
        "scatter, 4, 0.75",
        "reduce, 4, 1",
        "broadcast, 4, 1",
        "send, 4, 1",
        "receive, 4, 1",
        "barrier, 4, 1",
        "some composite, 4, 1"
    })
    void factor_isNcclTests(String operation, int groupSize, double factor) {
        assertThat(Operation.busFactor(operation, groupSize)).isEqualTo(factor);
    }
}
