package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The elements of a tensor that are zeros in every result, whatever codecs make of them. Signs have no zero: an element that is zero on all ranks comes back from {@link
 * io.reactivecomm.compression.OneBit} as plus or minus something, and what never gets a gradient, such as the weight of an input that is always 0, would wander.
 *
 * <pre>{@code
 * Mask untouched = Mask.ofZeros(variance);                                              // where no gradient has come
 * CompressionOptions options = CompressionOptions.inTwoSteps(new OneBit()).withMask("layer1.weight", untouched);
 * }</pre>
 *
 * <p><b>Cost.</b> A fill for each run, in each step.
 *
 * <p><b>Source.</b> The {@code exp_avg_mask} of DeepSpeed's 1-bit Adam.
 *
 * @param count of the tensor's elements
 * @param zeros the runs of elements that are zeros, in order, apart from each other
 */
public record Mask(long count, List<Run> zeros) {

    private static final int BLOCK_ELEMENTS = 8192;

    /**
     * Elements that follow each other.
     *
     * @param at the index of the first
     * @param count how many; at least one
     */
    public record Run(long at, long count) {

        private long end() {
            return at + count;
        }
    }

    public Mask {
        Objects.requireNonNull(zeros, "zeros");
        if (count < 0) {
            throw new InvalidCallException(
                    "a mask is of no tensor: count=" + count + "; give the number of its elements");
        }
        zeros = List.copyOf(zeros);
        long end = 0;
        for (Run run : zeros) {
            if (run.at < end || run.count < 1 || run.count > count - run.at) {
                throw new InvalidCallException("runs of a mask are not in order, or not in its tensor: count=" + count
                        + ", run=" + run + ", end of the one before=" + end
                        + "; give runs of at least one element, in order and apart");
            }
            end = run.end();
        }
    }

    /**
     * {@return the mask of the elements that are zeros in a tensor}
     *
     * @param tensor of floating point, in the host's memory
     */
    public static Mask ofZeros(Tensor tensor) {
        Objects.requireNonNull(tensor, "tensor");
        List<Run> zeros = new ArrayList<>();
        try (Tensor stage = Tensor.allocate(DType.FLOAT64, Math.min(BLOCK_ELEMENTS, tensor.count()))) {
            for (long at = 0; at < tensor.count(); at += BLOCK_ELEMENTS) {
                Tensor block = stage.slice(0, Math.min(BLOCK_ELEMENTS, tensor.count() - at));
                HostMoves.run(List.of(Move.copy(tensor.slice(at, block.count()), block)));
                addZeros(block.toDoubleArray(), at, zeros);
            }
        }
        return new Mask(tensor.count(), zeros);
    }

    /** A run that goes on from the block before becomes one with it. */
    private static void addZeros(double[] block, long at, List<Run> zeros) {
        int i = 0;
        while (i < block.length) {
            int end = i;
            while (end < block.length && block[end] == 0) {
                end++;
            }
            if (end > i) {
                add(at + i, end - i, zeros);
            }
            i = end + 1;
        }
    }

    private static void add(long at, long count, List<Run> zeros) {
        if (!zeros.isEmpty() && zeros.getLast().end() == at) {
            Run before = zeros.removeLast();
            zeros.add(new Run(before.at, before.count + count));
        } else {
            zeros.add(new Run(at, count));
        }
    }
}
