package io.reactivecomm.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivecomm.observe.CommEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The meters of what is none of a call's: warnings, losses and loops that do not turn.
 *
 * <p><b>Threads.</b> Any.
 */
final class EventMeters {

    private final Counter waiting;
    private final Counter lost;
    private final Counter groupsFailed;
    private final Timer held;
    /** For how long each loop that does not turn has not, as was said last. */
    private final Map<HeldLoop, Long> heldNow = new ConcurrentHashMap<>();

    /** A loop that does not turn, and who was told so: a program may have several ranks, each of which is. */
    private record HeldLoop(int teller, int rank) {}

    EventMeters(MeterSet meters) {
        waiting =
                meters.counter("rcomm.calls.waiting", "Warnings that a call waits for long", "warnings", Tags.empty());
        lost = meters.counter("rcomm.peers.lost", "Ranks that were lost", "ranks", Tags.empty());
        groupsFailed =
                meters.counter("rcomm.groups.failed", "Groups that have ended by a failure", "groups", Tags.empty());
        held = meters.timer(
                "rcomm.loop.held",
                "How long ranks' loops did not turn, once they turn again or the rank is lost",
                Tags.empty());
        meters.gauge("rcomm.loops.held", "Ranks whose loop does not turn now", "ranks", Tags.empty(), heldNow::size);
    }

    void happened(CommEvent event) {
        switch (event) {
            case CommEvent.Waiting ignored -> waiting.increment();
            case CommEvent.PeerLost loss -> {
                lost.increment();
                record(heldNow.remove(new HeldLoop(loss.rank(), loss.lost())));
            }
            case CommEvent.LoopHeld loop -> held(loop);
            case CommEvent.GroupFailed ignored -> groupsFailed.increment();
            case CommEvent.ClockCompared ignored -> {}
            case CommEvent.WorldLeft left -> left(left.rank());
        }
    }

    private void held(CommEvent.LoopHeld loop) {
        HeldLoop place = new HeldLoop(loop.rank(), loop.held());
        if (loop.forNanos() > 0) {
            heldNow.put(place, loop.forNanos());
        } else {
            record(heldNow.remove(place));
        }
    }

    /** Nobody will say any more of whom that rank was told of: they are held no longer than it knew. */
    private void left(int teller) {
        heldNow.keySet().stream()
                .filter(place -> place.teller == teller)
                .forEach(place -> record(heldNow.remove(place)));
    }

    private void record(@Nullable Long nanos) {
        if (nanos != null) {
            held.record(nanos, TimeUnit.NANOSECONDS);
        }
    }
}
