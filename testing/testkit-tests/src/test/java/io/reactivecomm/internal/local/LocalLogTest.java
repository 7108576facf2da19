package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.RisingDeadline;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log that a user reads: a warning that names the rank a call waits for, and nothing when ranks leave in good order. */
class LocalLogTest extends WorldContract implements LocalWorlds {

    private static final Logger LIBRARY = (Logger) LoggerFactory.getLogger("io.reactivecomm");

    private final Capture capture = new Capture();

    /** Keeps the lines. */
    private static final class Capture extends AppenderBase<ILoggingEvent> {

        private final Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent line) {
            lines.add(line);
        }

        private List<String> warnings() {
            return lines.stream()
                    .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                    .map(ILoggingEvent::getFormattedMessage)
                    .toList();
        }
    }

    @BeforeEach
    void beginCapture() {
        capture.lines.clear();
        capture.setContext(LIBRARY.getLoggerContext());
        capture.start();
        LIBRARY.addAppender(capture);
        LIBRARY.setAdditive(false);
    }

    @AfterEach
    void endCapture() {
        LIBRARY.detachAppender(capture);
        LIBRARY.setAdditive(true);
    }

    @Test
    void call_thatOneRankNeverIssues_isWarnedOfByName() {
        RisingDeadline.untilInTime(this::isWarnedOfByName);
    }

    /** {@return false if the deadline struck before the other ranks had answered, for which they have half of it} */
    private boolean isWarnedOfByName(Duration deadline) {
        List<ProcessGroup> groups = world(3);
        CompletableFuture<Outcome> other =
                begin(groups.get(1).named("layer1.weight").barrier());

        end(begin(groups.get(0).named("layer1.weight").timeout(deadline).barrier()))
                .error(CommTimeoutException.class);

        end(other).error(CommTimeoutException.class);
        return capture.warnings().stream()
                .anyMatch(line ->
                        line.startsWith("barrier is waiting: rank=0, missing=[2], call=layer1.weight#0, waited=")
                                && line.contains("rank 2 last issued nothing"));
    }

    @Test
    void ranks_thatLeaveInGoodOrder_areNotReportedLost() {
        List<ProcessGroup> groups = world(4);
        all(groups, ProcessGroup::barrier);

        groups.get(2).close();
        groups.get(0).close();
        CompletableFuture<Outcome> late = begin(groups.get(1).barrier());
        assertThat(end(late)).isInstanceOf(Outcome.Failure.class);
        groups.get(3).close();
        groups.get(1).close();

        assertThat(capture.warnings()).isEmpty();
    }
}
