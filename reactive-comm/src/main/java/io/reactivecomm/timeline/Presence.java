package io.reactivecomm.timeline;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The ranks of which more is expected, each by the place where it is heard of. One is there once a call of it has succeeded, until it leaves its world:
 * calls that a world refuses once it was left, and what a loop tells that was held meanwhile, bring nobody back. Owned by the writer.
 */
final class Presence {

    private final Set<Place> here = new HashSet<>();
    /** When each that has left did so. */
    private final Map<Place, Long> left = new HashMap<>();

    /** A rank where it is heard of. */
    private record Place(TimelineObserver hearing, int rank) {}

    /** A call has succeeded. One that was subscribed to before its rank left is of the world that it has left, any other of the next. */
    void succeeded(TimelineObserver hearing, ObservedCall call) {
        Place place = new Place(hearing, call.rank());
        Long at = left.get(place);
        if (!hearing.isSettled() && (at == null || call.subscribedAt() - at > 0)) {
            left.remove(place);
            here.add(place);
        }
    }

    void left(TimelineObserver hearing, CommEvent.WorldLeft event) {
        Place place = new Place(hearing, event.rank());
        here.remove(place);
        if (!hearing.isSettled()) {
            left.put(place, event.nanos());
        }
    }

    /** Nothing more is heard there. */
    void over(TimelineObserver hearing) {
        here.removeIf(place -> place.hearing == hearing);
        left.keySet().removeIf(place -> place.hearing == hearing);
    }

    boolean isEmpty() {
        return here.isEmpty();
    }
}
