package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.compression.internal.state.Generation;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import java.util.List;
import reactor.core.publisher.Mono;

/** One step's way of its elements through the ranks, by one {@link Route}. */
interface Passage {

    /** {@return the end, with the bytes that this rank has sent to others} The sum is in the values then, and what was lost in the next generation. */
    Mono<Long> run();

    /** {@return the codec of the next step} Once the way has been gone. */
    Codec adapted();

    /** The place of what encoding this rank's elements has lost, among the tensors that are kept. */
    int WORKER = 0;

    /** The place of what encoding the sums of this rank's part has lost. */
    int SERVER = 1;

    /** {@return what is kept at each place on that route, for elements of a type} */
    static List<StateShape.Kept> kept(Route route, RankParts parts, DType type) {
        return List.of(
                new StateShape.Kept(type.accumulator(), parts.padded()),
                new StateShape.Kept(type.accumulator(), route == Route.TWO_STEPS ? parts.part() : 0));
    }

    /**
     * The elements of one step, with what earlier ones have lost.
     *
     * @param parts of the elements, one for each rank
     * @param group makes the calls; of a device's elements one whose calls end when they are enqueued, as the codec's do
     * @param codec encodes them
     * @param values this rank's elements, which the sum replaces; in memory that the codec reaches
     * @param weight what each rank's elements are multiplied by
     * @param now what earlier steps have lost
     * @param next takes what this one loses
     * @param isFinished whether this rank has no inputs: it encodes zeros without what it has lost before, which stays
     */
    record Load(
            RankParts parts,
            ProcessGroup group,
            Codec codec,
            Tensor values,
            double weight,
            Generation now,
            Generation next,
            boolean isFinished) {

        /** {@return what this rank's elements are encoded with} @param memory for zeros in its place */
        Tensor before(StepMemory memory) {
            Tensor lost = now.kept(WORKER);
            return isFinished ? memory.of(() -> sums(lost.count())) : lost;
        }

        /** Encodes this rank's elements. {@return the codec of the next step} @param before as {@link #before} gave it */
        Codec encode(Tensor before, int parts, Tensor outgoing, long[] lengths) {
            if (isFinished) {
                group.move(List.of(Move.zeros(before)));
            }
            codec.encodeWithError(values, before, next.kept(WORKER), parts, outgoing, lengths);
            return isFinished ? codec : codec.after(outgoing.slice(0, lengths[0]));
        }

        /** {@return whether sums of so many elements may lie in the values from there on: then those have been encoded, and are to be overwritten} */
        boolean fits(long from, long count) {
            return from + count <= values.count()
                    && values.type() == values.type().accumulator();
        }

        /** {@return memory for so many sums} */
        Tensor sums(long count) {
            DType type = values.type().accumulator();
            return values.device().equals(Device.CPU)
                    ? Tensor.allocate(type, count)
                    : group.allocate(values.device(), type, count);
        }

        /** {@return memory for encodings of so many parts of so many elements} */
        Tensor encodings(int parts, long count) {
            return group.allocate(
                    values.device(), DType.UINT8, Math.multiplyExact(parts, codec.maxEncodedBytes(count)));
        }
    }
}
