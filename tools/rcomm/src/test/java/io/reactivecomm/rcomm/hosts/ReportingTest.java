package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The report of a run beside the end of its ranks. */
class ReportingTest {

    private int reports;

    private void report() {
        reports++;
    }

    private void reportFails() {
        throw new HostsException("nobody hears the report");
    }

    private static int ranksFail() {
        throw new HostsException("a shell was ended");
    }

    @Test
    void ranksThatEnd_areReported() {
        assertThat(HostsRun.reporting(() -> 3, this::report)).isEqualTo(3);
        assertThat(reports).isOne();
    }

    @Test
    void ranksThatFail_areReported() {
        assertThatThrownBy(() -> HostsRun.reporting(ReportingTest::ranksFail, this::report))
                .hasMessage("a shell was ended");
        assertThat(reports).isOne();
    }

    @Test
    void reportThatFails_doesNotHideTheFailureOfTheRanks() {
        assertThatThrownBy(() -> HostsRun.reporting(ReportingTest::ranksFail, this::reportFails))
                .hasMessage("a shell was ended")
                .satisfies(first -> assertThat(first.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("nobody hears the report"));
    }

    @Test
    void reportThatFails_isAFailure() {
        assertThatThrownBy(() -> HostsRun.reporting(() -> 0, this::reportFails)).hasMessage("nobody hears the report");
    }
}
