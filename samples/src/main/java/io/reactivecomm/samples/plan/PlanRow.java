package io.reactivecomm.samples.plan;

import io.reactivecomm.samples.world.Names;
import io.reactivecomm.schedule.Cost;
import io.reactivecomm.schedule.Offer;

/**
 * What one algorithm would cost, with the names that the JSON has.
 *
 * @param op the operation
 * @param ranks how many take part
 * @param bytes the size as nccl-tests counts it
 * @param dtype the element type
 * @param algorithm the algorithm's name
 * @param chosen whether the library's table takes it for this call
 * @param rankOrder whether the result has the bits of the fold in rank order; if not, it runs for a caller who asks
 * @param steps the longest chain of transfers that wait for each other
 * @param transfers the most that one rank sends, or receives
 * @param sentBytes the most that one rank sends
 * @param receivedBytes the most that one rank receives
 * @param scratchBytes the most memory that one rank needs beside its tensors
 * @param predictedMicros the time under the model, in microseconds, of the rank that takes longest
 */
record PlanRow(
        String op,
        int ranks,
        long bytes,
        String dtype,
        String algorithm,
        boolean chosen,
        boolean rankOrder,
        int steps,
        long transfers,
        long sentBytes,
        long receivedBytes,
        long scratchBytes,
        double predictedMicros) {

    /** {@return the row of an algorithm: the greatest numbers over all ranks, one of which is looked at a time} */
    static PlanRow of(PlannedCall call, Offer offer, boolean chosen, LinkModel model) {
        int width = call.type().byteSize();
        int partial = call.partialBytes();
        int steps = 0;
        long transfers = 0;
        long sent = 0;
        long received = 0;
        long scratch = 0;
        double micros = 0;
        for (int rank = 0; rank < call.ranks(); rank++) {
            Cost cost = offer.algorithm().cost(call.place(rank));
            steps = Math.max(steps, cost.steps());
            transfers = Math.max(transfers, Math.max(cost.sent().transfers(), cost.received().transfers()));
            sent = Math.max(sent, cost.sent().bytes(width, partial));
            received = Math.max(received, cost.received().bytes(width, partial));
            scratch = Math.max(scratch, cost.scratch() * (PlannedCall.reduces(call.operation()) ? partial : width));
            micros = Math.max(micros, model.micros(cost, width, partial));
        }
        return new PlanRow(
                Names.of(call.operation()),
                call.ranks(),
                call.bytes(),
                Names.of(call.type()),
                offer.name(),
                chosen,
                offer.keepsBits(call.signature()),
                steps,
                transfers,
                sent,
                received,
                scratch,
                micros);
    }
}
