package io.reactivecomm.internal.base;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The chain of an error's causes. Errors may be the program's own: a chain may lead back to itself, and {@code getCause} may throw. */
public final class Causes {

    /** Chains of sound programs are shorter. */
    private static final int MOST = 64;

    private Causes() {}

    /** {@return an error and its causes, from the outermost to the first cause, each once} */
    public static List<Throwable> of(Throwable error) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable each = error; each != null && chain.size() < MOST && !holds(chain, each); each = cause(each)) {
            chain.add(each);
        }
        return chain;
    }

    /** {@return the first cause of an error: the error itself if it has no other} */
    public static Throwable first(Throwable error) {
        return of(error).getLast();
    }

    /** Compares by identity, because {@code equals} may be the program's own. */
    private static boolean holds(List<Throwable> chain, Throwable error) {
        for (Throwable each : chain) {
            if (each == error) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Throwable cause(Throwable error) {
        try {
            return error.getCause();
        } catch (Throwable thrown) {
            // It is the code of an error that is reported already.
            return null;
        }
    }
}
