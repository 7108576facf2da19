package io.reactivecomm.spi;

import io.reactivecomm.internal.base.Thrown;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Those who are told when something of a loop fails that must not. That is an error that is fatal to the JVM, in whatever runs there, or
 * any fault of the library's own. The loop itself goes on, because frames of other ranks have to leave on it; the worlds on it end.
 *
 * <p><b>Threads.</b> {@link #add} and {@link #remove} from any; {@link #tell} on the loop.
 */
public final class FatalErrors {

    /** The rank is not known: what failed was the loop's. */
    public static final int NO_RANK = -1;

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /** Ends what is on the loop. */
    public interface Listener {

        /**
         * Something has failed.
         *
         * @param rank whose it was, or {@link #NO_RANK}
         */
        void failed(Throwable error, int rank);
    }

    /** Has that told from now on. */
    public void add(Listener listener) {
        listeners.add(listener);
    }

    /** Has that told no more. Idempotent. */
    public void remove(Listener listener) {
        listeners.remove(listener);
    }

    /** {@return whether several are told: what is the loop's is then none of theirs in particular} */
    public boolean areShared() {
        return listeners.size() > 1;
    }

    /**
     * Tells all, also if one of them fails in turn.
     *
     * @param rank whose it was, or {@link #NO_RANK}
     * @throws RuntimeException or an {@link Error} if one did: there is nothing more that the loop can do
     */
    public void tell(Throwable error, int rank) {
        Throwable failed = null;
        for (Listener listener : listeners) {
            failed = told(listener, error, rank, failed);
        }
        Thrown.on(failed);
    }

    private static @Nullable Throwable told(Listener listener, Throwable error, int rank, @Nullable Throwable before) {
        try {
            listener.failed(error, rank);
            return before;
        } catch (Exception | Error e) {
            return e;
        }
    }
}
