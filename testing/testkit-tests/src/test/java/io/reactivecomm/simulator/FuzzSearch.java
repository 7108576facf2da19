package io.reactivecomm.simulator;

import org.jspecify.annotations.Nullable;

/** The search of a fuzz for a bug that is planted. The fuzz that searches is another class than the one that tests see, so it is called by name. */
final class FuzzSearch {

    private FuzzSearch() {}

    /** {@return the first seed from 1 on that shows the bug, or a negative number} */
    static long firstFailure(String fuzz, @Nullable Mutant mutant, int mostSeeds) throws ReflectiveOperationException {
        Class<?> type = new MutantLoader(mutant).loadClass(fuzz);
        Object made = type.getConstructor().newInstance();
        return (long) type.getMethod("firstFailure", long.class, int.class).invoke(made, 1L, mostSeeds);
    }
}
