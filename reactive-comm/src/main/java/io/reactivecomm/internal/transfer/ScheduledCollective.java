package io.reactivecomm.internal.transfer;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Step;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One collective's work on this rank: the steps and the memory that they are about. A call has one, a coalesced call several.
 *
 * @param reduction how elements are combined, or null if they are not
 * @param schedule this rank's part
 * @param input what it contributes
 * @param output what takes its result
 * @param pairing what the two ranks of each transfer agree on besides its length, where the other ranks have nothing of it; 0 where all do the same
 */
public record ScheduledCollective(
        DType type, @Nullable Reduction reduction, Schedule schedule, TensorRow input, TensorRow output, long pairing) {

    /** {@return the work of a single collective} */
    public static ScheduledCollective of(Collective collective, DType type, Schedule schedule, int size) {
        boolean isInPlace = collective.inputs() == collective.outputs();
        TensorRow output = TensorRow.of(collective.outputRow(size));
        TensorRow input = isInPlace ? output : TensorRow.of(collective.inputRow(size));
        return new ScheduledCollective(type, collective.reduction(), schedule, input, output, 0);
    }

    /** {@return one end of a message in a scope, of which only the other end knows} */
    public static ScheduledCollective ofMessage(Collective message, Schedule schedule, long pairing) {
        TensorRow input = TensorRow.of(message.inputs());
        return new ScheduledCollective(
                message.signature().type(), null, schedule, input, TensorRow.of(message.outputs()), pairing);
    }

    /** {@return what a rank sends itself in a scope} */
    public static ScheduledCollective ofCopy(Collective from, Collective to, Schedule schedule, long pairing) {
        TensorRow input = TensorRow.of(from.inputs());
        return new ScheduledCollective(
                from.signature().type(), null, schedule, input, TensorRow.of(to.outputs()), pairing);
    }

    /** {@return whether it is no other rank's business than the two of each transfer} */
    public boolean isPairwise() {
        return pairing != 0;
    }

    /** {@return the same work by another schedule} */
    public ScheduledCollective withSchedule(Schedule other) {
        return new ScheduledCollective(type, reduction, other, input, output, pairing);
    }

    int elementBytes() {
        return type.byteSize();
    }

    /** {@return the width of an element of scratch: the accumulator's where elements are reduced, else the type's own} */
    int partialBytes() {
        return reduction == null ? type.byteSize() : type.accumulator().byteSize();
    }

    /**
     * {@return this rank's steps; none if it is alone and its result is where its input is}
     *
     * @param isWatched whether somebody is told of each element, changed or not
     */
    List<Step> steps(boolean isWatched) {
        boolean isNothing = !isWatched
                && input == output
                && schedule.steps().size() == 1
                && schedule.steps().getFirst() instanceof Step.Fold fold
                && fold.count() == output.count()
                && isCopy(fold);
        return isNothing ? List.of() : schedule.steps();
    }

    /** {@return whether a fold has nothing to combine and only puts elements into their place} */
    boolean isCopy(Step.Fold fold) {
        return fold.sources().size() == 1
                && fold.finish()
                && keepsWhatIsAlone()
                && fold.sources().getFirst() instanceof Step.Source.Local alone
                && alone.span().buffer() != Buffer.SCRATCH;
    }

    /** {@return whether an element that is combined with no other stays as it is} */
    private boolean keepsWhatIsAlone() {
        // A factor is applied to one element too, a caller's operator is the caller's, and a boolean becomes 0 or 1.
        return reduction instanceof ReduceOp && type != DType.BOOL;
    }

    long scratchBytes() {
        return schedule.scratchCount() * partialBytes();
    }
}
