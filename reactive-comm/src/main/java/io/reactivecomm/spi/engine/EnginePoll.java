package io.reactivecomm.spi.engine;

import io.reactivecomm.spi.Loop;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A look at a library's requests, again and again on a rank's loop, as long as any is pending.
 *
 * <pre>
 *   IDLE ── begun() ──&gt; LOOKING ─┬─ found something, or nothing for less than 50 µs ──&gt; LOOKING, at once again
 *    ^                     │  ^    └─ found nothing ──&gt; PAUSED, each time twice as long, up to 1 ms
 *    └── nothing pending ──┘  └──────────── begun(), or the pause ends ────────┘
 * </pre>
 *
 * <p>So what ends soon is seen soon, what takes long costs little, and a rank without requests uses no core. Between two looks the loop does what else it
 * has to do.
 *
 * <p><b>Threads.</b> {@link #begun} from any; the looks are on the loop.
 */
public final class EnginePoll {

    /** As long as a sleep and a wake across cores cost about twice. */
    private static final long EAGER_NANOS = 50_000;

    private static final long FIRST_PAUSE_NANOS = 20_000;

    /** Nothing that takes longer than this is held up by it by more than a hundredth. */
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;

    private final Loop loop;
    private final Look look;
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    /** How often something has begun: what begins during a look may not have been seen by it. */
    private final AtomicLong beginnings = new AtomicLong();

    private long foundAt;
    private long pauseNanos;
    /** The end of the pause; one that something else has ended is not to end the next. */
    private Loop.@Nullable Timer pause;

    private enum State {
        IDLE,
        LOOKING,
        PAUSED
    }

    /** The finding of a look. */
    public enum Found {
        /** Something has gone on, and more is pending. */
        SOMETHING,
        /** What is pending has not gone on. */
        NOTHING,
        /** Nothing is pending, until {@link EnginePoll#begun} is called again. */
        NO_MORE
    }

    /** One look. It takes 50 µs at most, whatever is pending. */
    @FunctionalInterface
    public interface Look {

        /** {@return what it found; the ends of calls have been told} */
        Found look();
    }

    /** One that looks on that loop. */
    public EnginePoll(Loop loop, Look look) {
        this.loop = loop;
        this.look = look;
    }

    /** Something is pending from here on: it is looked at soon, whatever else is pending. */
    public void begun() {
        beginnings.getAndIncrement();
        wake();
    }

    private void wake() {
        if (state.getAndSet(State.LOOKING) != State.LOOKING) {
            loop.execute(this::lookEagerly);
        }
    }

    private void lookEagerly() {
        endPause();
        foundAt = loop.nanoTime();
        pauseNanos = FIRST_PAUSE_NANOS;
        look();
    }

    private void look() {
        long seen = beginnings.get();
        switch (found(seen)) {
            case SOMETHING -> loop.execute(this::lookEagerly);
            case NOTHING -> lookLater(seen);
            case NO_MORE -> rest(State.IDLE, seen);
        }
    }

    /** One look that throws is not the last. */
    private Found found(long seen) {
        boolean hasThrown = true;
        try {
            Found found = look.look();
            hasThrown = false;
            return found;
        } finally {
            if (hasThrown) {
                lookLater(seen);
            }
        }
    }

    private void lookLater(long seen) {
        if (loop.nanoTime() - foundAt < EAGER_NANOS) {
            loop.execute(this::look);
        } else {
            pause = loop.schedule(this::pauseEnds, pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            rest(State.PAUSED, seen);
        }
    }

    private void endPause() {
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
    }

    private void pauseEnds() {
        pause = null;
        if (state.compareAndSet(State.PAUSED, State.LOOKING)) {
            look();
        }
    }

    /** Whoever begins something later sees the state; what began since the look is seen here. */
    private void rest(State how, long seen) {
        state.set(how);
        if (beginnings.get() != seen) {
            wake();
        }
    }
}
