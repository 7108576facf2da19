package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The ranks that have not joined a call, as far as this rank knows: the rule of warnings, timeouts, dumps, records of failed calls, and watchers of a job.
 *
 * <p>A rank has joined once its opening has arrived. If this rank has asked about the call, the last answer of each other rank counts, and silence counts against it.
 * Before that, only ranks with which the call exchanges something can be missing.
 *
 * @param ranks those ranks, in order
 * @param isIdle whether none of them is late: the call receives from any rank, or may wait indefinitely, as for a stream's next item
 */
record Missing(List<Integer> ranks, boolean isIdle) {

    /** A message that may wait this long, as a stream's next item, says nothing of its sender: no job lasts to its deadline. */
    private static final long PATIENT_NANOS = TimeUnit.DAYS.toNanos(365);

    static Missing of(Call call, World world) {
        boolean isPatient =
                !(call.key() instanceof CallKey.Ticket) && call.submission().timeoutNanos() >= PATIENT_NANOS;
        return new Missing(ranks(call, world), isPatient || isFromAny(call));
    }

    /** {@return whether it is a receive from any rank that has no message yet} */
    static boolean isFromAny(Call call) {
        return call.key() == null
                && call.submission().address() instanceof Submission.Address.From from
                && from.peer() < 0;
    }

    private static List<Integer> ranks(Call call, World world) {
        Stall stall = call.stall();
        if (call.key() == null && call.submission().address() instanceof Submission.Address.From from) {
            return from.peer() < 0
                    ? others(call, world, peer -> true)
                    : List.of(call.group().worldRank(from.peer()));
        }
        return stall == null
                ? call.partners().ranks(partner -> !partner.isMatched())
                : others(call, world, peer -> !hasJoined(call, peer, stall));
    }

    private static List<Integer> others(Call call, World world, Predicate<Peer> isMissing) {
        return world.others(call.group()).stream()
                .filter(isMissing)
                .map(Peer::rank)
                .sorted()
                .toList();
    }

    private static boolean hasJoined(Call call, Peer peer, Stall stall) {
        Partner partner = call.partner(peer);
        return partner != null && partner.isMatched() || stall.hasIssued(peer.rank());
    }

    /** {@return those of the ranks for which the call waits, which are none if it may be idle} */
    List<Integer> late() {
        return isIdle ? List.of() : ranks;
    }
}
