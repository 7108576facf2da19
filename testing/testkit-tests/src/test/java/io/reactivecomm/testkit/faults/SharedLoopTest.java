package io.reactivecomm.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.Loop;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Signal;

/** A fault of a loop that serves several ranks, none of which is to blame. */
@Timeout(60)
class SharedLoopTest {

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @Test
    void faultOfALoop_isToldAsTheLoops_inOneSentence() {
        Logger all = (Logger) LoggerFactory.getLogger("io.reactivecomm");
        log.start();
        all.addAppender(log);
        all.setAdditive(false);
        try (LocalWorld world = ReactiveComm.local(2 * Runtime.getRuntime().availableProcessors())) {
            List<CompletableFuture<Signal<Void>>> ends = world.groups().stream()
                    .map(ProcessGroup::ended)
                    .map(ended -> ended.materialize().toFuture())
                    .toList();
            Loop loop = LoopOfGroup.find(world.groups().getFirst());
            loop.execute(() -> {
                throw new StackOverflowError("made up");
            });
            Set<String> texts = ends.stream().map(SharedLoopTest::text).collect(Collectors.toSet());
            assertThat(texts)
                    .singleElement()
                    .asString()
                    .contains(
                            "fatal error on a loop of several ranks, thread="
                                    + loop.thread().getName(),
                            "StackOverflowError")
                    .doesNotContain("on rank");
        } finally {
            all.detachAppender(log);
            all.setAdditive(true);
        }
        assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
                .filteredOn(line -> line.contains("fatal") || line.contains("fail"))
                .singleElement()
                .asString()
                .contains("a task of the loop failed");
    }

    private static String text(CompletableFuture<Signal<Void>> end) {
        Throwable error = end.orTimeout(20, TimeUnit.SECONDS).join().getThrowable();
        assertThat(error).isInstanceOf(GroupClosedException.class);
        return error.getMessage();
    }
}
