package io.reactivecomm.rcomm.plan;

import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Crossings;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.samples.programs.world.Names;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * The cost that one algorithm would have, with the names that the JSON has.
 *
 * @param op the operation
 * @param ranks how many take part
 * @param hosts over which they are shared out
 * @param bytes the size as nccl-tests counts it
 * @param dtype the element type
 * @param algorithm the algorithm's name
 * @param chosen whether the library's table takes it for this call
 * @param rankOrder whether the result has the bits of the fold in rank order; if not, it runs for a caller who asks
 * @param steps the longest chain of transfers that wait for each other
 * @param hostSteps of those, the ones between hosts
 * @param transfers the most that one rank sends, or receives
 * @param hostBytes the most that one host sends to others, or receives, in all its ranks
 * @param sentBytes the most that one rank sends
 * @param receivedBytes the most that one rank receives
 * @param scratchBytes the most memory that one rank needs beside its tensors
 * @param predictedMicros the time under the model, in microseconds, of the rank that takes longest
 */
record PlanRow(
        String op,
        int ranks,
        int hosts,
        long bytes,
        String dtype,
        String algorithm,
        boolean chosen,
        boolean rankOrder,
        int steps,
        int hostSteps,
        long transfers,
        long hostBytes,
        long sentBytes,
        long receivedBytes,
        long scratchBytes,
        double predictedMicros) {

    /** {@return the row of an algorithm: the greatest numbers of any rank} */
    static PlanRow of(HypotheticalCall call, Offer offer, boolean chosen, LinkModel model) {
        int width = call.type().byteSize();
        int partial = call.partialBytes();
        List<Cost> costs = IntStream.range(0, call.ranks())
                .mapToObj(rank -> offer.algorithm().cost(call.place(rank)))
                .toList();
        Crossings crossings = Crossings.of(
                call.layout(), costs::get, rank -> offer.algorithm().schedule(call.place(rank)));
        boolean isOneHost = call.layout().hosts() == 1;
        return new PlanRow(
                Names.of(call.operation()),
                call.ranks(),
                call.layout().hosts(),
                call.bytes(),
                Names.of(call.type()),
                offer.name(),
                chosen,
                offer.keepsBits(call.signature()),
                (int) most(costs, Cost::steps),
                isOneHost ? 0 : (int) most(costs, Cost::hostSteps),
                most(
                        costs,
                        cost -> Math.max(
                                cost.sent().transfers(), cost.received().transfers())),
                crossings.mostBytes(width, partial),
                most(costs, cost -> cost.sent().bytes(width, partial)),
                most(costs, cost -> cost.received().bytes(width, partial)),
                most(costs, cost -> cost.scratch() * partial),
                IntStream.range(0, call.ranks())
                        .mapToDouble(
                                rank -> model.micros(RankCost.of(rank, costs.get(rank), crossings, width, partial)))
                        .max()
                        .orElse(0));
    }

    private static long most(List<Cost> costs, ToLongFunction<Cost> number) {
        return costs.stream().mapToLong(number).max().orElse(0);
    }
}
