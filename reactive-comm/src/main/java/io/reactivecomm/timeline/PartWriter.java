package io.reactivecomm.timeline;

import io.reactivecomm.internal.timeline.EventWriter;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.io.OutputStream;
import java.time.Instant;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The maker of events from records: a slice for each call in a lane of its track, its phases within, and an arrow from the composite call that it is
 * part of.
 *
 * <pre>
 *   world · composites   ├────────────── gradient buckets ──────────────┤
 *                           ↓
 *        (2)                ├── bucket 0 by a reducer ──┤
 *                              ↓
 *   world · links              ├─────── all-reduce ──────┤
 *                              ├queued┤matching┤wire┤fold┤
 * </pre>
 *
 * <p>What begins is written as it begins, so that the part of a rank that is killed has what it was doing.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class PartWriter {

    /** Calls that are open at once at most: of further ones the beginning is left out, and so is the call. */
    static final int MOST_OPEN = 1 << 15;

    /** Ranks whose parts have the same one share a clock. */
    private static final String PROCESS = UUID.randomUUID().toString();

    private final EventWriter events;
    private final int mostOpen;
    private final Tracks tracks;
    private final Map<ObservedCall, OpenCall> open = new IdentityHashMap<>();
    /** The composite calls among them, each by its own group and by any. */
    private final Map<RunKey, OpenCall> composites = new HashMap<>();

    private final Presence presence = new Presence();
    private long latest = Long.MIN_VALUE;
    private long flows;
    private long leftOut;

    /** The run of a composite call. @param group empty for any: a part may be another group's */
    private record RunKey(int rank, OptionalLong group, String label) {

        private static RunKey of(ObservedCall call, String label) {
            return new RunKey(call.rank(), OptionalLong.of(call.group()), label);
        }

        private RunKey ofAnyGroup() {
            return new RunKey(rank, OptionalLong.empty(), label);
        }
    }

    /** @param mostOpen as {@link #MOST_OPEN} */
    PartWriter(OutputStream out, int mostOpen) {
        this.mostOpen = mostOpen;
        events = new EventWriter(out, "[\n");
        tracks = new Tracks(events);
        // Both clocks at one moment: where no heartbeat tells more, parts are laid beside each other by the time of
        // day.
        events.event("M", EventWriter.HEADER, 0, EventWriter.EVENTS)
                .args()
                .field("format", EventWriter.FORMAT)
                .field("process", PROCESS)
                .field("nanos", System.nanoTime())
                .field("wallMicros", wallMicros())
                .endArgs();
    }

    private static long wallMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    /** {@return whether nothing more is expected of any rank} */
    boolean isQuiet() {
        return presence.isEmpty();
    }

    /** {@return the calls that were left out here} */
    long leftOut() {
        return leftOut;
    }

    void take(Record record) {
        switch (record.kind) {
            case BEGUN -> begun(known(record.call), known(record.hearing), record.nanos);
            case MATCHED -> matched(known(record.call), record.peer);
            case ENDED -> ended(known(record.call), known(record.hearing), record);
            case HAPPENED -> happened(known(record.event), known(record.hearing));
        }
    }

    private static <T> T known(@Nullable T part) {
        return Objects.requireNonNull(part, "a record that is not filled in");
    }

    private void begun(ObservedCall call, TimelineObserver hearing, long nanos) {
        if (hearing.isSettled() || open.containsKey(call)) {
            // It was about to be told as the hearing ended, and its end is not; or it is heard of in two places.
            return;
        }
        if (open.size() >= mostOpen) {
            leftOut++;
            return;
        }
        Tracks.Track track = tracks.of(call);
        OpenCall begun = new OpenCall(call, hearing, track, track.take(nanos), nanos);
        open.put(call, begun);
        seen(nanos);
        events.event("B", operation(call), call.rank(), begun.lane)
                .category(EventWriter.CALL)
                .at(nanos)
                .args();
        CallArgs.write(call, events);
        events.endArgs();
        OpenCall within = call.composite().isEmpty() ? null : composite(RunKey.of(call, call.composite()));
        if (within != null) {
            arrow(within, begun, nanos);
        }
        if (call.isComposite()) {
            RunKey key = RunKey.of(call, call.label());
            composites.put(key, begun);
            composites.put(key.ofAnyGroup(), begun);
        }
    }

    private @Nullable OpenCall composite(RunKey key) {
        OpenCall own = composites.get(key);
        return own == null ? composites.get(key.ofAnyGroup()) : own;
    }

    private static String operation(ObservedCall call) {
        return call.operation().isEmpty() ? "refused call" : call.operation();
    }

    private void arrow(OpenCall from, OpenCall to, long nanos) {
        long number = ++flows;
        long at = Math.max(nanos, from.begun);
        events.event("s", "part", from.track.rank(), from.lane)
                .category("part")
                .at(at)
                .field("id", number)
                .end();
        events.event("f", "part", to.track.rank(), to.lane)
                .category("part")
                .at(at)
                .field("id", number)
                .field("bp", "e")
                .end();
    }

    private void matched(ObservedCall call, int peer) {
        OpenCall of = open.get(call);
        if (of != null) {
            of.lastPeer = peer;
        }
    }

    private void ended(ObservedCall call, TimelineObserver hearing, Record record) {
        if (record.error == null) {
            presence.succeeded(hearing, call);
        }
        OpenCall of = open.remove(call);
        if (of != null) {
            ended(of, record);
        }
    }

    private void ended(OpenCall of, Record record) {
        // The loop's time is that of its turn, in which a call may have been subscribed to.
        long end = Math.max(of.begun, record.nanos);
        phases(of, record, end);
        events.event("E", operation(of.call), of.track.rank(), of.lane)
                .category(EventWriter.CALL)
                .at(end)
                .args();
        CallArgs.writeEnd(of, record, events);
        events.endArgs();
        over(of, end);
    }

    private void over(OpenCall of, long end) {
        seen(end);
        of.track.free(of.lane, end);
        if (of.call.isComposite()) {
            RunKey key = RunKey.of(of.call, of.call.label());
            composites.remove(key, of);
            composites.remove(key.ofAnyGroup(), of);
        }
    }

    private void phases(OpenCall of, Record record, long end) {
        long at = phase("queued", of, of.begun, record.queued, end);
        at = phase("matching", of, at, record.matching, end);
        at = phase("wire", of, at, record.wire, end);
        phase("fold", of, at, record.fold, end);
    }

    /** {@return when the next begins} */
    private long phase(String name, OpenCall of, long from, long nanos, long end) {
        long lasting = Math.min(Math.max(0, nanos), end - from);
        if (lasting > 0) {
            events.event("X", name, of.track.rank(), of.lane)
                    .category(EventWriter.PHASE)
                    .at(from)
                    .lasting(lasting)
                    .end();
        }
        return from + lasting;
    }

    private void happened(CommEvent event, TimelineObserver hearing) {
        tracks.introduce(event.rank());
        seen(event.nanos());
        EventArgs.write(event, events);
        if (event instanceof CommEvent.WorldLeft left) {
            left(left, hearing);
        }
    }

    /** A rank has left its world: no more is expected of it. */
    void left(CommEvent.WorldLeft event, TimelineObserver hearing) {
        presence.left(hearing, event);
    }

    /** The end of a call had no room, and is written without what is known of it. */
    void lost(ObservedCall call, long nanos) {
        OpenCall of = open.remove(call);
        if (of != null) {
            cut(of, nanos);
        }
    }

    /** Ends had no room, and it is not known of which calls: all that are open are ended, or those would stay. */
    void lostTrack(long nanos) {
        List.copyOf(open.values()).forEach(each -> lost(each.call, nanos));
    }

    /** Nothing more is heard there: what is under way ends in the trace. */
    void over(TimelineObserver hearing, long nanos) {
        hearing.settled();
        presence.over(hearing);
        List.copyOf(open.values()).stream()
                .filter(each -> each.hearing == hearing)
                .forEach(each -> lost(each.call, nanos));
    }

    /** Ends a call of which more is not known. */
    private void cut(OpenCall of, long nanos) {
        long end = Math.max(of.begun, nanos);
        events.event("E", operation(of.call), of.track.rank(), of.lane)
                .category(EventWriter.CALL)
                .at(end);
        events.args().field("unfinished", "true").endArgs();
        over(of, end);
    }

    private void seen(long nanos) {
        latest = latest == Long.MIN_VALUE ? nanos : Math.max(latest, nanos);
    }

    /** So many records were left out until now. */
    void tellLeftOut(long count) {
        for (int rank : tracks.ranks()) {
            EventArgs.instant("records left out", "warning", rank, latest, events)
                    .field("count", count)
                    .endArgs();
        }
    }

    void flush() {
        events.flush();
    }

    /** Ends the part: what is open is ended where the part ends. */
    void close(long count) {
        lostTrack(latest);
        events.event("M", EventWriter.END, 0, EventWriter.EVENTS)
                .args()
                .field("leftOut", count)
                .endArgs();
        events.close("\n]\n");
    }
}
