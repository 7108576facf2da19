package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PerfOpTest {

    /** The factors of nccl-tests' doc/PERFORMANCE.md. */
    @ParameterizedTest
    @CsvSource({
        "ALL_REDUCE, 2, 1.0",
        "ALL_REDUCE, 4, 1.5",
        "ALL_REDUCE, 8, 1.75",
        "LIST, 4, 1.5",
        "ALL_GATHER, 2, 0.5",
        "ALL_GATHER, 4, 0.75",
        "REDUCE_SCATTER, 4, 0.75",
        "ALL_TO_ALL, 4, 0.75",
        "GATHER, 4, 0.75",
        "SCATTER, 4, 0.75",
        "SEND_RECEIVE, 4, 1.0",
        "INFERENCE_ALL_REDUCE, 4, 1.5",
        "COALESCED, 4, 1.5",
        "MONITORED_BARRIER, 4, 1.0",
        "BROADCAST, 4, 1.0",
        "REDUCE, 4, 1.0",
        "BARRIER, 4, 1.0",
        "ALL_REDUCE, 1, 0.0"
    })
    void busFactor_isNcclTests(PerfOp op, int ranks, double factor) {
        assertThat(op.busFactor(ranks)).isEqualTo(factor);
    }

    @ParameterizedTest
    @CsvSource({
        "ALL_REDUCE, 1024, 3, 256",
        "ALL_REDUCE, 4, 3, 1",
        "ALL_REDUCE, 6, 3, 1",
        "BROADCAST, 0, 2, 0",
        "ALL_GATHER, 1024, 3, 255",
        "REDUCE_SCATTER, 1024, 3, 255",
        "ALL_TO_ALL, 1024, 3, 255",
        "GATHER, 1024, 3, 255",
        "SEND_RECEIVE, 1024, 3, 256",
        "ALL_GATHER, 4, 2, 0"
    })
    void elements_bytes_roundsDownToWhatRanksShare(PerfOp op, long bytes, int ranks, long elements) {
        assertThat(op.elements(bytes, DType.FLOAT32, ranks)).isEqualTo(elements);
    }

    @Test
    void bandwidth_ofMedian_isInGigabytesASecond() {
        BatchMeans means = new BatchMeans(new double[] {4000, 1000, 2000});
        assertThat(means.median()).isEqualTo(2000);
        assertThat(means.min()).isEqualTo(1000);
        assertThat(means.max()).isEqualTo(4000);
        assertThat(means.algorithmBandwidth(8_000_000)).isCloseTo(4, within(1e-12));
        assertThat(means.busBandwidth(PerfOp.ALL_REDUCE, 4, 8_000_000)).isCloseTo(6, within(1e-12));
    }

    @Test
    void median_evenCount_isBetweenTheMiddleTwo() {
        assertThat(new BatchMeans(new double[] {4, 1, 3, 2}).median()).isEqualTo(2.5);
    }

    @Test
    void supports_sums_needNumbers() {
        assertThat(PerfOp.ALL_REDUCE.supports(DType.BOOL)).isFalse();
        assertThat(PerfOp.REDUCE.supports(DType.FLOAT8_E5M2)).isFalse();
        assertThat(PerfOp.BROADCAST.supports(DType.FLOAT8_E5M2)).isTrue();
    }
}
