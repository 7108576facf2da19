package io.reactivecomm.timeline;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.io.OutputStream;
import java.time.Instant;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The maker of events from records: a slice for each call in a lane of its track, its phases within, and an arrow from the composite call that it is
 * part of.
 *
 * <pre>
 *   world · composites   ├────────────── gradient buckets ──────────────┤
 *                           ↓
 *        (2)                ├──────── bucket 0 ─────────┤
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

    static final String HEADER = "reactivecomm_part";
    static final String END = "reactivecomm_end";
    static final int FORMAT = 1;

    /** Ranks whose parts have the same one share a clock. */
    private static final String PROCESS = UUID.randomUUID().toString();

    private static final int MOST_TEXT = 2000;

    private final EventWriter events;
    private final int mostOpen;
    private final Tracks tracks;
    private final Map<ObservedCall, OpenCall> open = new IdentityHashMap<>();
    /** The composite calls among them, each by its own group and by any. */
    private final Map<RunKey, OpenCall> composites = new HashMap<>();
    private final Set<Integer> here = new TreeSet<>();
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
        // Both clocks at one moment: where no heartbeat tells more, parts are laid beside each other by the time of day.
        events.event("M", HEADER, 0, EventWriter.EVENTS).args().field("format", FORMAT).field("process", PROCESS)
                .field("nanos", System.nanoTime()).field("wallMicros", wallMicros()).endArgs();
    }

    private static long wallMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    /** {@return whether no rank that was heard of is in its world still} */
    boolean isQuiet() {
        return here.isEmpty();
    }

    /** {@return the calls that were left out here} */
    long leftOut() {
        return leftOut;
    }

    void take(Record record) {
        switch (record.kind) {
            case BEGUN -> begun(known(record), record.nanos);
            case MATCHED -> matched(known(record), record.peer);
            case ENDED -> ended(open.remove(known(record)), record);
            case HAPPENED -> happened(record.event);
        }
    }

    private static ObservedCall known(Record record) {
        ObservedCall call = record.call;
        if (call == null) {
            throw new IllegalStateException("a record of no call: kind=" + record.kind);
        }
        return call;
    }

    private void begun(ObservedCall call, long nanos) {
        here.add(call.rank());
        if (open.size() >= mostOpen) {
            leftOut++;
            return;
        }
        Tracks.Track track = tracks.of(call);
        OpenCall begun = new OpenCall(call, track, track.take(nanos), nanos);
        open.put(call, begun);
        seen(nanos);
        events.event("B", operation(call), call.rank(), begun.lane).category(EventWriter.CALL).at(nanos).args();
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
        events.event("s", "part", from.track.rank(), from.lane).category("part").at(at).field("id", number).end();
        events.event("f", "part", to.track.rank(), to.lane).category("part").at(at).field("id", number).field("bp", "e").end();
    }

    private void matched(ObservedCall call, int peer) {
        OpenCall of = open.get(call);
        if (of != null) {
            of.lastPeer = peer;
        }
    }

    /** @param of null if its beginning was left out */
    private void ended(@Nullable OpenCall of, Record record) {
        if (of == null) {
            return;
        }
        // The loop's time is that of its turn, in which a call may have been subscribed to.
        long end = Math.max(of.begun, record.nanos);
        phases(of, record, end);
        events.event("E", operation(of.call), of.track.rank(), of.lane).category(EventWriter.CALL).at(end).args();
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
            events.event("X", name, of.track.rank(), of.lane).category(EventWriter.PHASE).at(from).lasting(lasting).end();
        }
        return from + lasting;
    }

    private void happened(@Nullable CommEvent event) {
        if (event != null) {
            tracks.introduce(event.rank());
            here.add(event.rank());
            seen(event.nanos());
            EventArgs.write(event, events);
            if (event instanceof CommEvent.WorldLeft left) {
                here.remove(left.rank());
            }
        }
    }

    private void seen(long nanos) {
        latest = latest == Long.MIN_VALUE ? nanos : Math.max(latest, nanos);
    }

    /** So many records were left out until now. */
    void tellLeftOut(long count) {
        for (int rank : tracks.ranks()) {
            EventArgs.instant("records left out", "warning", rank, latest, events).field("count", count).endArgs();
        }
    }

    void flush() {
        events.flush();
    }

    /** Ends the part: what is open is ended where the part ends. */
    void close(long count) {
        for (OpenCall each : open.values()) {
            long end = Math.max(each.begun, latest);
            events.event("E", operation(each.call), each.track.rank(), each.lane).category(EventWriter.CALL).at(end);
            events.args().field("unfinished", "true").endArgs();
        }
        open.clear();
        composites.clear();
        events.event("M", END, 0, EventWriter.EVENTS).args().field("leftOut", count).endArgs();
        events.close("\n]\n");
    }

    /** {@return a text that is not too long for a trace} */
    static String shortened(@Nullable String text) {
        String known = String.valueOf(text);
        return known.length() <= MOST_TEXT ? known : known.substring(0, MOST_TEXT) + "…";
    }
}
