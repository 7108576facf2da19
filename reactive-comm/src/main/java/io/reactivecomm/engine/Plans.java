package io.reactivecomm.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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

    private record Key(Signature signature, int rank, int size) {}

    Plans(Selection selection) {
        this.selection = selection;
    }

    Schedule schedule(Signature signature, int rank, int size) {
        return schedules.get(new Key(signature, rank, size), key -> selection
                .algorithm(signature, size)
                .schedule(new Place(signature.count(), rank, size, signature.root())));
    }
}
