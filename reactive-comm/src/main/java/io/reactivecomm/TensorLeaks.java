package io.reactivecomm;

import io.reactivecomm.internal.base.Warnings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The watch over tensors that nobody closes. Once nothing can reach such a tensor any more, its memory is freed, and a warning says where it
 * was allocated, once for each place.
 *
 * <p>That is when the collector finds out, which knows nothing of the memory outside its heap and so may come late. Tensors that wrap the
 * program's own memory are not watched.
 *
 * <p>How closely is for the whole JVM: RCOMM_LEAKS in its environment, or {@link #watch(Level)}, says for all tensors allocated from then on.
 *
 * <p><b>Threads.</b> Any.
 *
 * <p><b>Cost.</b> 2 µs for each tensor whose place is noted.
 */
public final class TensorLeaks {

    /** The environment variable with the level. */
    static final String VARIABLE = "RCOMM_LEAKS";

    private static final Logger LOG = Warnings.of(TensorLeaks.class);

    /** One tensor in so many has its place noted; a power of two. */
    private static final int SAMPLE = 64;

    /** Places that are told at most: a program that leaks everywhere fills no log. */
    private static final int MOST_PLACES = 200;

    private static final Set<String> PLACES = ConcurrentHashMap.newKeySet();
    private static final AtomicBoolean TOLD_OF_SOMEWHERE = new AtomicBoolean();
    private static volatile Level level = ofEnvironment(System.getenv());

    private TensorLeaks() {}

    /** The closeness with which tensors are watched. */
    public enum Level {
        /** Not at all: memory is freed without a word. */
        OFF,
        /** The place is noted for one tensor in 64; of the others a warning says, once, that there are any. The default. */
        SIMPLE,
        /** The place is noted for every tensor. */
        ALL;

        /**
         * {@return the level of that name}
         *
         * @throws RendezvousException if there is none
         */
        static Level parse(String name) {
            return switch (name.strip().toLowerCase(Locale.ROOT)) {
                case "off" -> OFF;
                case "simple", "" -> SIMPLE;
                case "all" -> ALL;
                default ->
                    throw new RendezvousException(
                            "no such watch over tensors: " + VARIABLE + "=" + name + "; choose off, simple or all");
            };
        }
    }

    /** A tensor may be the first thing that a program makes: what is wrong with its environment, {@code connect} says as an error. */
    private static Level ofEnvironment(Map<String, String> environment) {
        try {
            return Level.parse(CommConfig.settings(environment).getOrDefault(VARIABLE, ""));
        } catch (RendezvousException e) {
            LOG.warn("{}; it is simple until then", CommException.textOf(e));
            return Level.SIMPLE;
        }
    }

    /** {@return how closely tensors are watched} */
    public static Level level() {
        return level;
    }

    /** Watches tensors that are allocated from now on so closely. */
    public static void watch(Level level) {
        Objects.requireNonNull(level, "level");
        TensorLeaks.level = level;
    }

    /** {@return the places whose tensors were never closed, as far as they are known by now: a copy} */
    public static Set<String> places() {
        return Set.copyOf(PLACES);
    }

    /** {@return what to tell of a tensor that is being allocated, should it never be closed} */
    static Watch over(DType type, long[] shape) {
        Level now = level;
        return new Watch(type, shape, now != Level.OFF, isNoted(now) ? AllocationPlace.here() : null);
    }

    private static boolean isNoted(Level level) {
        return switch (level) {
            case OFF -> false;
            case SIMPLE -> (ThreadLocalRandom.current().nextInt() & SAMPLE - 1) == 0;
            case ALL -> true;
        };
    }

    /** One tensor, and where it was allocated, if that was noted. */
    static final class Watch {

        private final DType type;
        private final long[] shape;
        private final boolean isTold;
        private final @Nullable List<StackWalker.StackFrame> place;

        private Watch(DType type, long[] shape, boolean isTold, @Nullable List<StackWalker.StackFrame> place) {
            this.type = type;
            this.shape = shape;
            this.isTold = isTold;
            this.place = place;
        }

        /** Nothing can reach the tensor any more, and nobody has closed it. */
        void leaked() {
            if (isTold && place != null) {
                tell(AllocationPlace.text(place));
            } else if (isTold && !TOLD_OF_SOMEWHERE.getAndSet(true)) {
                LOG.warn(
                        "tensors are never closed, so that their memory was only freed when the collector found them: place=not noted; set {}=all to"
                                + " have it noted, and close each tensor after its last use",
                        VARIABLE);
            }
        }

        private void tell(String where) {
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
}
