package io.reactivecomm;

import io.reactivecomm.internal.base.Warnings;
import io.reactivecomm.internal.memory.LeakWatch;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

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
            Warnings.of(TensorLeaks.class).warn("{}; it is simple until then", CommException.textOf(e));
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
        return LeakWatch.places();
    }
}
