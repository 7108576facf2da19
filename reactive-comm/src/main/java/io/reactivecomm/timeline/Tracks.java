package io.reactivecomm.timeline;

import io.reactivecomm.internal.timeline.EventWriter;
import io.reactivecomm.observe.ObservedCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tracks of a part: for each rank one of events, and for each group and engine one of calls, whose {@link Lanes} are threads of the trace.
 * Groups' composite calls have a track above. Owned by the writer.
 */
final class Tracks {

    /** Tracks that are told apart at most; a program that makes groups without end has the further ones in one. */
    static final int MOST = 1024;

    /** Lanes are numbered by their track and their place in it. */
    private static final int MOST_LANES = 1 << 16;

    private static final String COMPOSITES = "composites";
    private static final String FURTHER = "further groups";

    private final EventWriter events;
    private final Map<Key, Track> tracks = new HashMap<>();
    private final Set<Integer> ranks = new HashSet<>();
    private final List<Integer> inOrder = new ArrayList<>();

    private record Key(int rank, long group, String backend) {

        private String words() {
            String place = group == 0 ? "world" : "group " + Long.toUnsignedString(group);
            return backend.equals(FURTHER) ? FURTHER : place + " · " + backend;
        }
    }

    Tracks(EventWriter events) {
        this.events = events;
    }

    /** One track. */
    final class Track {

        private final int rank;
        private final int number;
        private final String name;
        private final Lanes lanes = new Lanes();

        private Track(int rank, int number, String name) {
            this.rank = rank;
            this.number = number;
            this.name = name;
        }

        /** {@return a lane for a call that begins then, by its number in the trace} */
        int take(long from) {
            int before = lanes.count();
            int lane = lanes.take(from);
            int thread = number * MOST_LANES + lane;
            if (lane == before) {
                events.name("thread_name", rank, thread, lane == 0 ? name : name + " (" + (lane + 1) + ")");
                events.place("thread_sort_index", rank, thread, thread);
            }
            return thread;
        }

        void free(int thread, long at) {
            lanes.free(thread % MOST_LANES, at);
        }

        int rank() {
            return rank;
        }
    }

    /** {@return the ranks that were heard of, in that order} */
    List<Integer> ranks() {
        return inOrder;
    }

    /** A rank is heard of. */
    void introduce(int rank) {
        if (ranks.add(rank)) {
            inOrder.add(rank);
            events.name("process_name", rank, EventWriter.EVENTS, "rank " + rank);
            events.place("process_sort_index", rank, EventWriter.EVENTS, rank);
            events.name("thread_name", rank, EventWriter.EVENTS, "events");
            events.place("thread_sort_index", rank, EventWriter.EVENTS, EventWriter.EVENTS);
        }
    }

    Track of(ObservedCall call) {
        introduce(call.rank());
        String backend = call.isComposite() ? COMPOSITES : call.backend();
        boolean isFurther = tracks.size() >= MOST && !tracks.containsKey(new Key(call.rank(), call.group(), backend));
        Key key = new Key(call.rank(), isFurther ? -1 : call.group(), isFurther ? FURTHER : backend);
        return tracks.computeIfAbsent(key, made -> new Track(call.rank(), tracks.size() + 1, made.words()));
    }
}
