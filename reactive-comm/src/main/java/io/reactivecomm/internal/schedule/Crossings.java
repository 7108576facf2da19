package io.reactivecomm.internal.schedule;

import io.reactivecomm.internal.schedule.Cost.Volume;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The volumes that cross from host to host in a call, by rank. The ranks of a host share its way out: {@link #sentBy} adds them up.
 *
 * @param sent what each rank sends to other hosts
 * @param received what each rank receives from other hosts
 */
public record Crossings(Layout layout, List<Volume> sent, List<Volume> received) {

    /**
     * {@return what crosses when all ranks run their schedules}
     * Where each rank has a host to itself that is all that it moves, and on one host nothing; else the steps are added up.
     */
    public static Crossings of(Layout layout, IntFunction<Cost> costOf, IntFunction<Schedule> schedules) {
        if (layout.hosts() == layout.size()) {
            List<Cost> costs =
                    IntStream.range(0, layout.size()).mapToObj(costOf).toList();
            return new Crossings(
                    layout,
                    costs.stream().map(Cost::sent).toList(),
                    costs.stream().map(Cost::received).toList());
        }
        Crossings crossings = none(layout);
        for (int rank = 0; rank < layout.size() && layout.hosts() > 1; rank++) {
            crossings.add(rank, schedules.apply(rank));
        }
        return crossings;
    }

    private static Crossings none(Layout layout) {
        List<Volume> nothing = Collections.nCopies(layout.size(), Volume.NONE);
        return new Crossings(layout, new ArrayList<>(nothing), new ArrayList<>(nothing));
    }

    private void add(int rank, Schedule schedule) {
        boolean reduces = schedule.steps().stream().anyMatch(Step.Fold.class::isInstance);
        for (Step step : schedule.steps()) {
            if (step instanceof Step.Send send && layout.isBetweenHosts(rank, send.peer())) {
                boolean isPartial = reduces && send.source().buffer() == Buffer.SCRATCH;
                Volume crossing = Volume.ofOne(send.count(), isPartial);
                sent.set(rank, sent.get(rank).plus(crossing));
                received.set(send.peer(), received.get(send.peer()).plus(crossing));
            }
        }
    }

    /** {@return what a host sends to others, in all its ranks} */
    public Volume sentBy(int host) {
        return sum(sent, host);
    }

    /** {@return what a host receives from others, in all its ranks} */
    public Volume receivedBy(int host) {
        return sum(received, host);
    }

    private Volume sum(List<Volume> byRank, int host) {
        return IntStream.range(0, layout.count(host))
                .mapToObj(place -> byRank.get(layout.rank(host, place)))
                .reduce(Volume.NONE, Volume::plus);
    }

    /** {@return the bytes that a host sends or receives, whichever is more: a way leads in both directions at once} */
    public long bytes(int host, int elementBytes, int partialBytes) {
        return Math.max(
                sentBy(host).bytes(elementBytes, partialBytes), receivedBy(host).bytes(elementBytes, partialBytes));
    }

    /** {@return the bytes of the host that has most} */
    public long mostBytes(int elementBytes, int partialBytes) {
        return IntStream.range(0, layout.hosts())
                .mapToLong(host -> bytes(host, elementBytes, partialBytes))
                .max()
                .orElse(0);
    }
}
