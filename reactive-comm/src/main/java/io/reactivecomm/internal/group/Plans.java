package io.reactivecomm.internal.group;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Fused;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Selection;
import org.jspecify.annotations.Nullable;

/**
 * Chooses and keeps schedules, since a training step makes the same calls as the one before.
 *
 * <p><b>Threads.</b> Any: schedules are found on the thread that subscribes, never on the loop.
 */
final class Plans {

    private final Book alone;
    private final Book beside;

    /**
     * A call's signature and one rank's part of it.
     *
     * @param signature shared by all calls that look alike
     */
    record Plan(Signature signature, Schedule schedule, int rank, int size, String asked) {

        /** Where nothing is cut unevenly, the signature says all that a schedule depends on. */
        private boolean isFor(Signature wanted, int ofRank, int ofSize, String algorithm) {
            return wanted.isEven() && rank == ofRank && size == ofSize && signature.equals(wanted) && asked.equals(algorithm);
        }
    }

    /** @param eagerBytes the largest transfer that travels without a grant in a call of its own */
    Plans(Selection selection, int eagerBytes) {
        this.alone = new Book(selection.within(eagerBytes));
        // Beside others a call cannot count on that: they share what travels so.
        this.beside = new Book(selection.within(0));
    }

    /**
     * {@return that rank's part of the call}
     *
     * @param algorithm the algorithm that the caller asks for, or empty
     * @throws io.reactivecomm.UnsupportedCollectiveException if the call cannot run it
     */
    Plan plan(Collective call, int rank, int size, String algorithm) {
        return alone.plan(call, rank, size, algorithm);
    }

    /** {@return that rank's part of one of several calls that are made as one} */
    Schedule coalesced(Fused call, boolean isAlone, int rank, int size) {
        return (isAlone ? alone : beside).plan(call, rank, size, "").schedule;
    }

    /** The plans of one selection. */
    private static final class Book {

        /** In steps: a schedule of a group of 64 has some 200, so hundreds of shapes are kept in a few megabytes. */
        private static final long MOST_STEPS = 100_000;

        private final Selection selection;
        private final Cache<Key, Plan> plans = Caffeine.newBuilder()
                .maximumWeight(MOST_STEPS)
                .weigher((Key key, Plan plan) -> 1 + plan.schedule.steps().size())
                .build();

        /** The last plan that was asked for: a burst of calls asks for the same one over and over. */
        private volatile @Nullable Plan latest;

        private record Key(Signature signature, Place place, String algorithm) {

            /* By hand, as in {@link Signature}. */
            @Override
            public boolean equals(@Nullable Object other) {
                return other instanceof Key key
                        && key.signature.equals(signature)
                        && key.place.equals(place)
                        && key.algorithm.equals(algorithm);
            }

            @Override
            public int hashCode() {
                return 31 * (31 * signature.hashCode() + place.hashCode()) + algorithm.hashCode();
            }
        }

        private Book(Selection selection) {
            this.selection = selection;
        }

        private Plan plan(Collective call, int rank, int size, String algorithm) {
            Plan before = latest;
            return before != null && before.isFor(call.signature(), rank, size, algorithm)
                    ? before
                    : kept(call, rank, size, algorithm);
        }

        private Plan kept(Collective call, int rank, int size, String algorithm) {
            Signature signature = call.signature();
            Place place = Place.of(call, rank, size);
            Plan plan = plans.get(
                    new Key(signature, place, algorithm),
                    key -> new Plan(signature, selection.algorithm(call, size, algorithm).schedule(place), rank, size, algorithm));
            latest = plan;
            return plan;
        }
    }
}
