package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Operation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentBytesTest {

    /** What rings send: of a message the mean of who sends and who receives. */
    @ParameterizedTest
    @CsvSource({
        "ALL_REDUCE, 2, 1",
        "ALL_REDUCE, 4, 1.5",
        "ALL_GATHER, 4, 0.75",
        "BROADCAST, 2, 0.5",
        "MESSAGE, 4, 0.5",
        "BARRIER, 4, 0",
        "ALL_TO_ALL, 1, 0"
    })
    void share_isThatOfTheUsualAlgorithm(Operation operation, int ranks, double share) {
        assertThat(SentBytes.share(operation.label(), ranks)).isEqualTo(share);
    }
}
