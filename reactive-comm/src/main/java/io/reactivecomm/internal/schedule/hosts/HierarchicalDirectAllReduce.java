package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import io.reactivecomm.internal.schedule.flat.RankOrderAllReduce;

/**
 * All-reduce as the direct one in rank order, but for its results: each crosses once to every other host, to one rank there, which tells
 * the others of its host.
 *
 * <pre>
 * two hosts of two ranks, chunk 0:   0.0 1.0 2.0 3.0 folded by rank 0: R0     0 ─R0→ 1, 2     2 ─R0→ 3
 * </pre>
 *
 * <p>It serves any layout: operands need no order of hosts. It moves fewer bytes than the chain of hosts where hosts have few ranks, since
 * operands cross as they are and wait for no other host.
 *
 * <p><b>In place.</b> As in {@link RankOrderAllReduce}: a result overwrites what its owner has folded already.
 *
 * <p><b>Cost.</b> 3 steps, the last within hosts. With p ranks on each of h hosts a host sends and receives (p+1)·S·(h−1)/h bytes, none of
 * which is a partial result.
 */
public final class HierarchicalDirectAllReduce implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span result = place.chunk(Buffer.OUTPUT, place.rank());
        int fold = steps.reduceScatter(place, rank -> place.chunk(Buffer.INPUT, rank), result, true);
        HostTelling telling = new HostTelling(place, steps);
        telling.send(result, Wait.forElementsOf(fold));
        telling.receive(owner -> place.chunk(Buffer.OUTPUT, owner));
        return steps.named(name()).over(place.layout(), 0);
    }

    @Override
    public Cost cost(Place place) {
        HostTelling telling = new HostTelling(place, new StepList());
        int others = place.size() - 1;
        long total = place.total(Buffer.INPUT);
        long own = place.chunk(Buffer.INPUT, place.rank()).count();
        Volume sent = Volume.of(others, total - own)
                .plus(telling.sent(owner -> place.chunk(Buffer.INPUT, owner).count()));
        Volume received = Volume.of(2L * others, others * own + total - own);
        return Cost.of(place.oneStep() + telling.depth(), sent, received)
                .withHostSteps(place.layout().hosts() > 1 ? 2 : 0);
    }
}
