package io.reactivecomm.internal.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.LiveCall;
import io.reactivecomm.recorder.RankState;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

@Timeout(60)
class RankDumpsTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private static LocalWorld world(int ranks, @Nullable Path dumps) {
        return ReactiveComm.local(ranks, CommConfig.of(0, ranks, "127.0.0.1", 1).withDumps(dumps));
    }

    private static Mono<?> reduce(ProcessGroup group, Duration deadline) {
        Tensor tensor = Tensor.of(new float[3]);
        return group.named("grad")
                .timeout(deadline)
                .allReduce(tensor, ReduceOp.SUM)
                .doFinally(end -> tensor.close());
    }

    private FlightDump awaitDump(String name) throws IOException {
        Path file = folder.resolve(name);
        long until = System.nanoTime() + LIMIT.toNanos();
        while (!Files.exists(file)) {
            assertThat(System.nanoTime()).as("%s comes in time", file).isLessThan(until);
            Thread.onSpinWait();
        }
        return FlightDump.read(file);
    }

    @Test
    void dump_tellsOfCallsUnderWay_andOfThoseThatEnded() throws IOException {
        try (LocalWorld world = world(2, null)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            Mono.when(reduce(first, LIMIT), reduce(second, LIMIT)).block(LIMIT);
            reduce(first, LIMIT).subscribe(work -> {}, error -> {});
            Path file = first.dump(folder.resolve("a.json")).block(LIMIT);
            FlightDump dump = FlightDump.read(file);
            assertThat(dump.origin().rank()).isZero();
            assertThat(dump.origin().isPartial()).isFalse();
            assertThat(dump.origin().pid()).isEqualTo(ProcessHandle.current().pid());
            LiveCall live = dump.state().live().getFirst();
            assertThat(live.call().label()).isEqualTo("grad#1");
            assertThat(live.call().what()).isEqualTo("all-reduce(FLOAT32 × 3, SUM)");
            assertThat(live.state()).isEqualTo(LiveCall.State.MATCHING);
            assertThat(live.missing()).containsExactly(1);
            assertThat(live.waitsFor()).isEqualTo("rank 1 to make the call");
            assertThat(live.leftMicros()).isBetween(0L, LIMIT.toNanos() / 1000);
            EndedCall ended = dump.state().ended().getLast();
            assertThat(ended.call().label()).isEqualTo("grad#0");
            assertThat(ended.hasFailed()).isFalse();
            assertThat(ended.tookMicros()).isNotNegative();
            assertThat(ended.endedMicrosAgo()).isNotNegative();
            assertThat(dump.threads())
                    .anyMatch(thread -> thread.isCaller()
                            && thread.name().equals(Thread.currentThread().getName()));
            assertThat(dump.state().peers().getFirst().heardMicrosAgo()).isNotNegative();
            assertThat(dump.state().groups().getFirst().latest()).contains("grad#1");
        }
    }

    @Test
    void timeout_isDumped_withWhoWasMissing() throws IOException {
        try (LocalWorld world = world(2, folder)) {
            StepVerifier.create(reduce(world.groups().getFirst(), Duration.ofMillis(20)))
                    .expectError(CommTimeoutException.class)
                    .verify(LIMIT);
            FlightDump dump = awaitDump("rank-0.json");
            EndedCall ended = dump.state().ended().getLast();
            FailureRecord failure = ended.failure();
            assertThat(failure).isNotNull();
            assertThat(failure.kind()).isEqualTo(FailureRecord.TIMEOUT);
            assertThat(ended.missing()).containsExactly(1);
            assertThat(dump.origin().reason()).contains("timed out");
        }
    }

    @Test
    void aborted_group_isDumpedByAll() throws IOException {
        try (LocalWorld world = world(2, folder)) {
            world.groups().get(1).abort("the model has diverged");
            assertThat(awaitDump("rank-0.json")
                            .state()
                            .groups()
                            .getFirst()
                            .failure()
                            .text())
                    .contains("the model has diverged");
            assertThat(awaitDump("rank-1.json").origin().reason()).contains("the model has diverged");
        }
    }

    @Test
    void closedWorld_isNotDumped() {
        world(2, folder).close();
        assertThat(folder).isEmptyDirectory();
    }

    /** Harms nothing: the call fails as it would. */
    @Test
    void folderThatCannotBe_isAWarning() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        try (LocalWorld world = world(2, file)) {
            StepVerifier.create(reduce(world.groups().getFirst(), Duration.ofMillis(20)))
                    .expectError(CommTimeoutException.class)
                    .verify(LIMIT);
            StepVerifier.create(world.groups().getFirst().dump(file.resolve("a.json")))
                    .expectError(IOException.class)
                    .verify(LIMIT);
        }
        assertThat(folder).isDirectoryContaining(each -> each.equals(file));
    }

    @Test
    void blockedLoop_isNotWaitedFor() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (LocalWorld world = world(1, null)) {
            ProcessGroup group = world.groups().getFirst();
            CountDownLatch held = new CountDownLatch(1);
            reduce(group, LIMIT)
                    .doOnNext(work -> {
                        held.countDown();
                        awaitQuietly(released);
                    })
                    .subscribe();
            held.await();
            reduce(group, LIMIT).subscribe(work -> {}, error -> {});
            FlightDump dump =
                    FlightDump.read(group.dump(folder.resolve("a.json")).block(LIMIT));
            released.countDown();
            assertThat(dump.origin().isPartial()).isTrue();
            assertThat(dump.loop().isTurning()).isFalse();
            assertThat(dump.loop().turnMicros()).isPositive();
            assertThat(dump.loop().stack()).anyMatch(frame -> frame.contains("awaitQuietly"));
            assertThat(dump.state().live())
                    .anyMatch(call -> call.state() == LiveCall.State.QUEUED
                            && call.call().label().equals("grad#1"));
            assertThat(dump.state().ended())
                    .anyMatch(call -> call.call().label().equals("grad#0"));
        } finally {
            released.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void failures_beyondTheBound_areNotDumped() {
        RankDumps dumps = RankDumps.into(folder, recorder());
        for (int i = 0; i < 12; i++) {
            dumps.writeNow("failure " + i);
        }
        dumps.close();
        assertThat(folder.toFile().list()).hasSize(8).contains("rank-7.json", "rank-7-2.json", "rank-7-8.json");
    }

    @Test
    void ranks_ofOneWorld_shareItsId_whichNoOtherHas() throws IOException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (LocalWorld world = world(2, null)) {
                for (ProcessGroup group : world.groups()) {
                    Path file = folder.resolve("rank-" + group.rank() + ".json");
                    ids.add(FlightDump.read(group.dump(file).block(LIMIT))
                            .origin()
                            .worldId());
                }
            }
        }
        assertThat(ids.get(0)).isNotEmpty().isEqualTo(ids.get(1)).isNotEqualTo(ids.get(2));
        assertThat(ids.get(2)).isEqualTo(ids.get(3));
    }

    @Test
    void dumps_ofALaterWorld_leaveTheFirstFailureAsItIs() throws IOException {
        for (int world = 0; world < 10; world++) {
            RankDumps dumps = RankDumps.into(folder, recorder());
            dumps.writeNow("failure of world " + world);
            dumps.signalled("USR1");
            dumps.close();
        }
        assertThat(folder.toFile().list())
                .as("of eight worlds")
                .hasSize(16)
                .contains("rank-7-signal.json", "rank-7-world-8-signal.json");
        assertThat(FlightDump.read(folder.resolve("rank-7.json")).origin().reason())
                .isEqualTo("failure of world 0");
        assertThat(FlightDump.read(folder.resolve("rank-7-world-3.json"))
                        .origin()
                        .reason())
                .isEqualTo("failure of world 9");
    }

    /** The loop tells of the failure, and goes on; the next one is dumped. */
    @Test
    void thread_thatCannotBeStarted_isAWarning() {
        AtomicBoolean isShort = new AtomicBoolean(true);
        RankDumps dumps = new RankDumps(folder, recorder(), writing -> {
            if (isShort.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            writing.run();
        });
        Failure failure = new Failure(Failure.Kind.TIMEOUT, 7, "late");
        dumps.failed(failure);
        assertThat(folder).isEmptyDirectory();
        dumps.failed(failure);
        assertThat(folder.toFile().list()).containsExactly("rank-7.json");
    }

    private static RankRecorder recorder() {
        return new RankRecorder(
                new RankRecorder.Place(7, 8, "a world", "host"), new EndedLoop(), now -> RankState.UNKNOWN, List::of);
    }

    /** A loop whose thread is no more. */
    private static final class EndedLoop implements Loop {

        @Override
        public boolean inLoop() {
            return false;
        }

        @Override
        public void execute(Runnable task) {}

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            return () -> {};
        }

        @Override
        public Thread thread() {
            return new Thread("ended");
        }

        @Override
        public FatalErrors fatalErrors() {
            throw new UnsupportedOperationException();
        }
    }
}
