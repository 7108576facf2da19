package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.group.Groups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** A loop that fails outside of any task ends its world with the cause, on all ranks, and all can be closed. */
@Timeout(60)
class FailedLoopTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** The error that the first rank's loop meets when it next goes to sleep; once, or from then on. */
    private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();

    private volatile boolean isLasting;
    private final AtomicInteger sleeps = new AtomicInteger();

    static Stream<Named<Supplier<Throwable>>> faults() {
        return Stream.of(
                Named.of("an error of a tool", () -> new AssertionError("Blocking call!")),
                Named.of("stack overflow", StackOverflowError::new),
                Named.of("out of memory", () -> new OutOfMemoryError("of the machine")),
                Named.of("an exception", () -> new IllegalStateException("in parking")),
                Named.of("a checked exception", () -> new InterruptedException("stopped from outside")));
    }

    private void park(Object blocker, long nanos) {
        sleeps.incrementAndGet();
        Throwable thrown = isLasting ? fault.get() : fault.getAndSet(null);
        if (thrown != null) {
            throwUndeclared(thrown);
        }
        LockSupport.parkNanos(blocker, nanos);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUndeclared(Throwable error) throws E {
        throw (E) error;
    }

    @ParameterizedTest
    @MethodSource("faults")
    void loop_thatFails_endsItsWorldWithTheCause(Supplier<Throwable> error) throws InterruptedException {
        requireEnd(error.get());
    }

    /** As a tool has it that forbids to block: the loop fails each time that it is idle. */
    @ParameterizedTest
    @MethodSource("faults")
    void loop_thatFailsWheneverItIsIdle_endsItsWorldWithTheCause(Supplier<Throwable> error)
            throws InterruptedException {
        isLasting = true;
        requireEnd(error.get());
    }

    private void requireEnd(Throwable error) throws InterruptedException {
        LocalLoop failing = new LocalLoop("failing", this::park);
        LocalLoop sound = new LocalLoop("sound");
        List<ProcessGroup> world = world(failing, sound);
        List<ProcessGroup> inner = Objects.requireNonNull(Flux.mergeSequential(
                        world.stream().map(group -> group.newGroup(1, 0)).toList())
                .collectList()
                .block(LIMIT));
        List<ProcessGroup> all = Stream.concat(world.stream(), inner.stream()).toList();
        List<CompletableFuture<Signal<Void>>> ends = all.stream()
                .map(group -> group.ended().materialize().toFuture().thenApply(Objects::requireNonNull))
                .toList();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        // Each waits for a rank that does not issue it.
        all.forEach(group -> calls.add(
                group.named("of-" + group.globalRank(group.rank())).barrier().toFuture()));

        fault.set(error);
        failing.execute(() -> {});

        for (CompletableFuture<?> call : calls) {
            assertThat(call)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(GroupClosedException.class)
                    .withMessageContaining("on rank 0")
                    .withMessageContaining(error.toString());
        }
        assertThat(calls.getFirst()
                        .handle((ignored, thrown) -> thrown.getCause())
                        .join())
                .as("the rank's own")
                .isSameAs(error);
        ends.forEach(end -> assertThat(end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                        .join()
                        .getThrowable())
                .isInstanceOf(GroupClosedException.class)
                .hasMessageContaining(error.toString()));
        all.forEach(group -> assertThat(group.barrier().toFuture()).failsWithin(LIMIT));
        world.forEach(ProcessGroup::close);
        assertThat(failing.thread().isAlive()).isFalse();
        assertThat(sound.thread().isAlive()).isFalse();
    }

    /** {@return two ranks, each on a loop of its own, both asleep at times} */
    private List<ProcessGroup> world(LocalLoop first, LocalLoop second) {
        List<LocalLink> ends = LocalLink.pair(0, first, 1, second);
        LocalBoard board = new LocalBoard(2);
        CountDownLatch open = new CountDownLatch(2);
        Runnable closed = () -> {
            open.countDown();
            if (open.getCount() == 0) {
                first.end();
                second.end();
            }
        };
        CommConfig settings = CommConfig.of(0, 2, "127.0.0.1", 29500);
        List<Mono<ProcessGroup>> joining = List.of(
                Groups.world(
                        new LocalMesh(
                                0, "failed-loop", first, new LocalLink[] {null, ends.get(0)}, board.ofRank(0), closed),
                        settings),
                Groups.world(
                        new LocalMesh(
                                1, "failed-loop", second, new LocalLink[] {ends.get(1), null}, board.ofRank(1), closed),
                        settings));
        return Objects.requireNonNull(
                Flux.mergeSequential(joining).collectList().block(LIMIT));
    }
}
