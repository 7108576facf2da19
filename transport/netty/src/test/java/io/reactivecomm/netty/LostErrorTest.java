package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Mesh;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An {@link Error} thrown at any one of the moments in which a rank that connects looks at the clock: nobody waits for ever. */
@Timeout(120)
class LostErrorTest {

    /** More moments than an attempt has. */
    private static final int MANY = 200;

    private static final int EARLY = 8;

    /** Throws as memory does that is used up, once, at the n-th look. */
    private static final class BrokenClock implements Timers {

        private final AtomicInteger left;

        BrokenClock(int good) {
            left = new AtomicInteger(good);
        }

        private void look() {
            if (left.getAndDecrement() == 0) {
                throw new OutOfMemoryError("planted");
            }
        }

        boolean hasThrown() {
            return left.get() < 0;
        }

        @Override
        public long nanoTime() {
            look();
            return System.nanoTime();
        }

        @Override
        public Loop.Timer schedule(EventExecutor on, Runnable task, long delayNanos) {
            look();
            return Timers.SYSTEM.schedule(on, task, delayNanos);
        }
    }

    @Test
    void errorInTheFirstMoments_endsTheAttempt() throws Exception {
        assertThat(errors(EARLY)).as("errors that reached the subscriber").isGreaterThan(3);
    }

    @Test
    @Tag("thorough")
    void errorAtAnyMoment_endsTheAttempt() throws Exception {
        assertThat(errors(MANY)).as("errors that reached the subscriber").isGreaterThan(3);
    }

    private static int errors(int most) throws Exception {
        int errors = 0;
        boolean reached = true;
        for (int moment = 0; reached && moment < most; moment++) {
            BrokenClock clock = new BrokenClock(moment);
            Throwable problem = attempt(clock);
            reached = clock.hasThrown();
            if (problem != null) {
                assertThat(problem).isInstanceOf(RendezvousException.class);
                errors += problem.getCause() instanceof OutOfMemoryError ? 1 : 0;
            }
        }
        return errors;
    }

    /** {@return what a rank of two gets whose clock breaks, or null if it gets its mesh all the same} */
    private static Throwable attempt(BrokenClock clock) throws Exception {
        try (MeshWorld world = new MeshWorld(TransportOptions.DEFAULT)) {
            // Longer than this test waits: an error that comes by a timeout is one that was lost before.
            CommConfig config = world.config(1, 2).withRendezvousTimeout(Duration.ofMinutes(10));
            CompletableFuture<Mesh> zero = world.join(0, 2).toFuture();
            CompletableFuture<Mesh> one = new TcpTransport(TransportOptions.DEFAULT.withTimers(clock))
                    .connect(config)
                    .toFuture();
            try {
                return one.handle((mesh, problem) -> {
                            if (mesh != null) {
                                mesh.close();
                            }
                            return problem;
                        })
                        .get(20, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new AssertionError("the attempt does not end: " + clock.left, e);
            } finally {
                zero.cancel(false);
            }
        }
    }
}
