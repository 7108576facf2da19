package io.reactivecomm.internal.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Collects the steps of a schedule; each verb answers the index of the step it added, for others to wait on. */
public final class StepList {

    private final List<Step> steps = new ArrayList<>();

    public int send(int peer, Span source, Wait... waits) {
        return add(new Step.Send(peer, source, List.of(waits)));
    }

    public int receive(int peer, Span target, Wait... waits) {
        return add(new Step.Receive(peer, target, List.of(waits)));
    }

    public int fold(Span target, List<Step.Source> sources, boolean finish, Wait... waits) {
        return add(new Step.Fold(target, List.copyOf(sources), finish, List.of(waits)));
    }

    /** A fold's last pass alone: what was folded into scratch is divided and rounded into its place. */
    public int finish(Span target, Span scratch, Wait... waits) {
        return fold(target, List.of(new Step.Source.Local(scratch)), true, waits);
    }

    /** A fold's last pass alone, of partial results that a peer sends. */
    public int finishFrom(int peer, Span target) {
        return fold(target, List.of(new Step.Source.Remote(peer, true)), true);
    }

    /** {@return where a fold that was added leaves its elements} */
    public Span foldedBy(int step) {
        return ((Step.Fold) steps.get(step)).target();
    }

    public int copy(Span source, Span target, Wait... waits) {
        return add(new Step.Copy(source, target, List.of(waits)));
    }

    /**
     * Sends every other rank its share of this one's input, and folds this rank's own share, of all ranks in rank order. {@return the fold}
     *
     * @param shares the share of the input that a rank folds
     */
    public int reduceScatter(Place place, IntFunction<Span> shares, Span target, boolean finish) {
        for (int peer : PeerOrder.after(place)) {
            send(peer, shares.apply(peer));
        }
        return fold(target, inRankOrder(place, shares.apply(place.rank())), finish);
    }

    /** {@return one source for each rank in rank order: this rank's own span, and what the others send} */
    public static List<Step.Source> inRankOrder(Place place, Span own) {
        List<Step.Source> sources = new ArrayList<>(place.size());
        for (int rank = 0; rank < place.size(); rank++) {
            if (rank == place.rank()) {
                sources.add(new Step.Source.Local(own));
            } else {
                sources.add(new Step.Source.Remote(rank, false));
            }
        }
        return sources;
    }

    /** Sends the same elements to each of several peers. */
    public void sendAll(int[] peers, Span source, Wait... waits) {
        for (int peer : peers) {
            send(peer, source, waits);
        }
    }

    public Schedule named(String algorithm) {
        return new Schedule(algorithm, steps, 0);
    }

    public Schedule named(String algorithm, long scratchCount) {
        return new Schedule(algorithm, steps, scratchCount);
    }

    /** {@return a schedule whose transfers must travel with their announcements} */
    public Schedule withoutGrants(String algorithm) {
        return new Schedule(algorithm, steps, 0, true, 0, 0);
    }

    private int add(Step step) {
        steps.add(step);
        return steps.size() - 1;
    }
}
