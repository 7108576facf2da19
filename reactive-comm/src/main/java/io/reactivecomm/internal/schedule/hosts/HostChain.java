package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.List;

/**
 * The fold of elements along the hosts, from the first to the last: each host's operands, in rank order, on top of what came from the host before.
 * Where hosts hold consecutive ranks that is the left fold in rank order.
 *
 * <p>On each host the rank at one place folds, and the others send it their elements, which it reads where they lie. What it hands on is a
 * partial result, unless there is nothing on the first host to fold its elements with.
 */
final class HostChain {

    private final HostShares shares;
    private final StepList steps;
    private long scratchCount;

    HostChain(HostShares shares, StepList steps) {
        this.shares = shares;
        this.steps = steps;
    }

    /** What {@link #fold} says where this rank is not the last to fold. */
    static final int NOT_LAST = -1;

    boolean isFirst() {
        return shares.host() == 0;
    }

    boolean isLast() {
        return shares.host() == shares.hosts() - 1;
    }

    private boolean startsUnfolded() {
        return isFirst() && shares.isAlone(0) && !isLast();
    }

    /**
     * Adds this rank's steps of a chain.
     *
     * @param own this rank's elements
     * @param at the place of those who fold
     * @param result where the last of them puts the result
     * @param finishes whether it does; otherwise it leaves a partial result in scratch
     * @return the step that folds all, if this rank is the last to fold, or {@link #NOT_LAST}
     */
    int fold(Span own, int at, Span result, boolean finishes) {
        if (!shares.isOwn(at)) {
            steps.send(shares.owner(at), own);
            return NOT_LAST;
        }
        if (startsUnfolded()) {
            steps.send(shares.owner(1, at), own);
            return NOT_LAST;
        }
        if (isLast() && finishes) {
            return steps.fold(result, operands(own, at), true);
        }
        Span partial = new Span(Buffer.SCRATCH, scratchCount, own.count());
        scratchCount += own.count();
        int fold = steps.fold(partial, operands(own, at), false);
        if (isLast()) {
            return fold;
        }
        steps.send(shares.owner(shares.host() + 1, at), partial, Wait.forElementsOf(fold));
        return NOT_LAST;
    }

    private List<Step.Source> operands(Span own, int at) {
        int before = shares.host() - 1;
        List<Step.Source> came = isFirst()
                ? List.of()
                : List.of(new Step.Source.Remote(shares.owner(before, at), handsOnPartials(before)));
        return shares.after(came, own);
    }

    private boolean handsOnPartials(int host) {
        return host > 0 || !shares.isAlone(0);
    }

    /** {@return the scratch that the chains so far need} */
    long scratchCount() {
        return scratchCount;
    }

    /** {@return what this rank sends in a chain of that many elements} */
    Volume sent(int at, long count) {
        boolean isOperand = !shares.isOwn(at);
        boolean handsOn = !isOperand && !isLast();
        boolean isPartial = handsOn && handsOnPartials(shares.host());
        int transfers = isOperand || handsOn ? 1 : 0;
        return new Volume(transfers, isPartial ? 0 : transfers * count, isPartial ? count : 0);
    }

    /** {@return what this rank receives in a chain of that many elements} */
    Volume received(int at, long count) {
        int peers = shares.isOwn(at) ? shares.peers().length : 0;
        int before = shares.isOwn(at) && !isFirst() ? 1 : 0;
        boolean isPartial = before == 1 && handsOnPartials(shares.host() - 1);
        return new Volume(peers + before, (peers + (isPartial ? 0 : before)) * count, isPartial ? count : 0);
    }

    /** {@return the scratch that a chain of that many elements needs} @param finishes whether the last one leaves no partial result */
    long scratch(int at, long count, boolean finishes) {
        return !shares.isOwn(at) || startsUnfolded() || (isLast() && finishes) ? 0 : count;
    }

    /** {@return the steps until the last host has all, of which all but those within the first are between hosts} */
    int depth() {
        return shares.hosts() - 1 + (shares.isAlone(0) ? 0 : 1);
    }
}
