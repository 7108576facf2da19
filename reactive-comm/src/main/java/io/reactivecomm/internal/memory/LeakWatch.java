package io.reactivecomm.internal.memory;

import io.reactivecomm.DType;
import io.reactivecomm.TensorLeaks;
import io.reactivecomm.TensorLeaks.Level;
import io.reactivecomm.internal.base.Warnings;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** One tensor under the watch of {@link TensorLeaks}, with the place of its allocation if that was noted. */
public final class LeakWatch {

    private static final Logger LOG = Warnings.of(TensorLeaks.class);

    /** One tensor in so many has its place noted; a power of two. */
    private static final int SAMPLE = 64;

    /** The most places that are logged, so that a program that leaks everywhere does not fill its log. */
    private static final int MOST_PLACES = 200;

    private static final Set<String> PLACES = ConcurrentHashMap.newKeySet();
    private static final AtomicBoolean HAS_LOGGED_UNNOTED = new AtomicBoolean();

    private final DType type;
    private final long[] shape;
    private final boolean isLogged;
    private final @Nullable List<StackWalker.StackFrame> place;

    private LeakWatch(DType type, long[] shape, boolean isLogged, @Nullable List<StackWalker.StackFrame> place) {
        this.type = type;
        this.shape = shape;
        this.isLogged = isLogged;
        this.place = place;
    }

    /** {@return the watch over a tensor that is being allocated, at the present level} */
    static LeakWatch over(DType type, long[] shape) {
        Level now = TensorLeaks.level();
        return new LeakWatch(type, shape, now != Level.OFF, isNoted(now) ? AllocationPlace.here() : null);
    }

    private static boolean isNoted(Level level) {
        return switch (level) {
            case OFF -> false;
            case SIMPLE -> (ThreadLocalRandom.current().nextInt() & SAMPLE - 1) == 0;
            case ALL -> true;
        };
    }

    /** {@return the places whose tensors were never closed, as far as they are known by now: a copy} */
    public static Set<String> places() {
        return Set.copyOf(PLACES);
    }

    /** Nothing can reach the tensor any more, and it was never closed. */
    void leaked() {
        if (isLogged && place != null) {
            log(AllocationPlace.text(place));
        } else if (isLogged && !HAS_LOGGED_UNNOTED.getAndSet(true)) {
            LOG.warn(
                    "tensors are never closed, so that their memory was only freed when the collector found them: place=not noted; set RCOMM_LEAKS=all to"
                            + " have it noted, and close each tensor after its last use");
        }
    }

    private void log(String where) {
        if (PLACES.size() < MOST_PLACES && PLACES.add(where)) {
            LOG.warn(
                    "a tensor was never closed, so that its memory was only freed when the collector found it: type={}, shape={}, allocated={};"
                            + " close each tensor after its last use (told once for each place)",
                    type,
                    Arrays.toString(shape),
                    where);
        }
    }
}
