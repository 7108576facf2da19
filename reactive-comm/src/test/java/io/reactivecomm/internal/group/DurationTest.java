package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A call's duration, on a clock that only the work on the loop moves. */
class DurationTest {

    private static final Duration WORK = Duration.ofMillis(36);

    /** A loop whose tasks a test runs, and whose clock a test moves. */
    private static final class ManualLoop implements Loop {

        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private final FatalErrors fatal = new FatalErrors();
        private long now;
        private boolean turning;

        void turn() {
            turning = true;
            for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                next.run();
            }
            turning = false;
        }

        void work() {
            now += turning ? WORK.toNanos() : 0;
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public boolean inLoop() {
            return turning;
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            return () -> {};
        }

        @Override
        public Thread thread() {
            return Thread.currentThread();
        }

        @Override
        public FatalErrors fatalErrors() {
            return fatal;
        }
    }

    /** A world of one. */
    private record Alone(Loop loop) implements Mesh {

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public int worldSize() {
            return 1;
        }

        @Override
        public String host() {
            return "here";
        }

        @Override
        public List<Integer> hosts() {
            return List.of(0);
        }

        @Override
        public boolean leavesHost() {
            return false;
        }

        @Override
        public Link link(int peer) {
            throw new IllegalArgumentException("there is no other rank: peer=" + peer);
        }

        @Override
        public void start(LinkEvents events) {}

        @Override
        public @Nullable Rendezvous rendezvous() {
            return null;
        }

        @Override
        public void close() {}
    }

    private static ProcessGroup group(ManualLoop loop) {
        CommConfig config = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        ProcessGroup group =
                Objects.requireNonNull(Groups.world(new Alone(loop), config).block());
        loop.turn();
        return group;
    }

    /** Both calls end in one event, which began at 0. */
    @Test
    void duration_endsWhenTheSubscriberIsTold_notWhenTheEventBegan() {
        ManualLoop loop = new ManualLoop();
        ProcessGroup group = group(loop);
        List<Work> works = new ArrayList<>();
        Mono<Work> first = group.barrier().doOnNext(work -> loop.work());
        Mono<Work> second = group.barrier();
        first.subscribe(works::add);
        second.subscribe(works::add);

        loop.turn();

        assertThat(works).extracting(Work::duration).containsExactly(Duration.ZERO, WORK);
    }
}
