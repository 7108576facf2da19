package io.reactivecomm.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.schedule.Place;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.schedule.Selection;

/**
 * Chooses and keeps schedules, since a training step makes the same calls as the one before.
 *
 * <p><b>Threads.</b> Any: schedules are found on the thread that subscribes, never on the loop.
 */
final class Plans {

    /** In steps: a schedule of a group of 64 has some 200, so hundreds of shapes are kept in a few megabytes. */
    private static final long MOST_STEPS = 100_000;

    private final Selection selection;
    private final Cache<Key, Schedule> schedules = Caffeine.newBuilder()
            .maximumWeight(MOST_STEPS)
            .weigher((Key key, Schedule schedule) -> 1 + schedule.steps().size())
            .build();

    private record Key(Signature signature, Place place, String algorithm) {}

    Plans(Selection selection) {
        this.selection = selection;
    }

    /**
     * {@return that rank's part of the call}
     *
     * @param algorithm the algorithm that the caller asks for, or empty
     * @throws io.reactivecomm.UnsupportedCollectiveException if the call cannot run it
     */
    Schedule schedule(Collective call, int rank, int size, String algorithm) {
        Signature signature = call.signature();
        Place place = Place.of(call, rank, size);
        return schedules.get(
                new Key(signature, place, algorithm),
                key -> selection.algorithm(call, size, algorithm).schedule(place));
    }
}
