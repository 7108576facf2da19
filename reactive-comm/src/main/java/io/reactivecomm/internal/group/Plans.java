package io.reactivecomm.internal.group;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reactivecomm.Bits;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Fused;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
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
    record Plan(Signature signature, Schedule schedule, int rank, Layout layout, Wish wish) {

        /** Where nothing is cut unevenly, the signature says all that a schedule depends on. */
        private boolean isFor(Signature wanted, int ofRank, Layout ofGroup, Wish asked) {
            return wanted.isEven()
                    && rank == ofRank
                    && layout.equals(ofGroup)
                    && signature.equals(wanted)
                    && wish.equals(asked);
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
     * @param wish what the caller asks for
     * @throws io.reactivecomm.UnsupportedCollectiveException if the call cannot run the algorithm that is asked for
     */
    Plan plan(Collective call, int rank, Layout layout, Wish wish) {
        return alone.plan(call, rank, layout, wish);
    }

    /** {@return that rank's part of one of several calls that are made as one} */
    Schedule coalesced(Fused call, boolean isAlone, int rank, Layout layout, Bits bits) {
        return (isAlone ? alone : beside).plan(call, rank, layout, new Wish("", bits)).schedule;
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

        private record Key(Signature signature, Place place, Wish wish) {

            /* By hand, as in {@link Signature}. */
            @Override
            public boolean equals(@Nullable Object other) {
                return other instanceof Key key
                        && key.signature.equals(signature)
                        && key.place.equals(place)
                        && key.wish.equals(wish);
            }

            @Override
            public int hashCode() {
                return 31 * (31 * signature.hashCode() + place.hashCode()) + wish.hashCode();
            }
        }

        private Book(Selection selection) {
            this.selection = selection;
        }

        private Plan plan(Collective call, int rank, Layout layout, Wish wish) {
            Plan before = latest;
            return before != null && before.isFor(call.signature(), rank, layout, wish)
                    ? before
                    : kept(call, rank, layout, wish);
        }

        private Plan kept(Collective call, int rank, Layout layout, Wish wish) {
            Signature signature = call.signature();
            Place place = Place.of(call, rank, layout);
            Plan plan = plans.get(
                    new Key(signature, place, wish),
                    key -> new Plan(
                            signature, selection.algorithm(call, layout, wish).schedule(place), rank, layout, wish));
            latest = plan;
            return plan;
        }
    }
}
