package io.reactivecomm.rcomm.plan;

import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Crossings;
import io.reactivecomm.internal.transfer.PieceLength;

/**
 * The cost of a call for one rank, in bytes, on its host's way out and within its host.
 *
 * @param cost the rank's
 * @param hosts over which the group is spread
 * @param hostBytes what the rank's host sends to others, or receives, if that is more
 * @param bytesWithin what the rank sends within its host, or receives, if that is more
 * @param mostBytes what it sends or receives in all, whichever is more
 * @param partialBytes the width of a partial result, or of an element where nothing is reduced
 */
record RankCost(Cost cost, int hosts, long hostBytes, long bytesWithin, long mostBytes, int partialBytes) {

    static RankCost of(int rank, Cost cost, Crossings crossings, int elementBytes, int partialBytes) {
        long sent = cost.sent().bytes(elementBytes, partialBytes);
        long received = cost.received().bytes(elementBytes, partialBytes);
        long sentWithin = sent - crossings.sent().get(rank).bytes(elementBytes, partialBytes);
        long receivedWithin = received - crossings.received().get(rank).bytes(elementBytes, partialBytes);
        int host = crossings.layout().host(rank);
        return new RankCost(
                cost,
                crossings.layout().hosts(),
                crossings.bytes(host, elementBytes, partialBytes),
                Math.max(sentWithin, receivedWithin),
                Math.max(sent, received),
                partialBytes);
    }

    /** {@return what moves in a step that fills a stream: a piece, which is no more than a transfer} */
    double fillBytes(long pieceBytes) {
        if (cost.fillElements() > 0) {
            long piece = Math.clamp(
                    cost.fillElements() * partialBytes, Math.min(PieceLength.LEAST_BYTES, pieceBytes), pieceBytes);
            return Math.min((double) cost.fillStreams() * piece, hostBytes);
        }
        boolean sendsMore = cost.sent().elements() + cost.sent().partials()
                > cost.received().elements() + cost.received().partials();
        long transfers = (sendsMore ? cost.sent() : cost.received()).transfers();
        return Math.min(pieceBytes, mostBytes / (double) Math.max(1, transfers));
    }
}
