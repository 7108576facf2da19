package io.reactivecomm.simulator;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The finding of a simulator in which a bug was planted.
 *
 * @param seed the first schedule that fails, or {@link Simulator#NO_SEED}
 */
record Find(long seed, @Nullable Object violation) {

    /**
     * Runs schedules until one fails. The simulator that searches is another class than the one that tests see, so it is called by name.
     *
     * @param mutant the bug, or null for none
     */
    static Find first(Class<?> simulator, @Nullable Mutant mutant, int mostSeeds) throws ReflectiveOperationException {
        Class<?> type = new MutantLoader(mutant).loadClass(simulator.getName());
        Object fresh = type.getConstructor().newInstance();
        long seed = (long) type.getMethod("firstFailure", long.class, int.class).invoke(fresh, 1L, mostSeeds);
        if (seed == Simulator.NO_SEED) {
            return new Find(seed, null);
        }
        Object outcome = type.getMethod("run", long.class).invoke(fresh, seed);
        Method violation = outcome.getClass().getMethod("violation");
        return new Find(seed, violation.invoke(outcome));
    }
}
