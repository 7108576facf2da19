package io.reactivecomm.compression.internal.call;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import org.jspecify.annotations.Nullable;

/** The numbers by which ranks' elements are multiplied before they are added up. */
public final class Weights {

    private Weights() {}

    /** {@return why codecs do not encode elements of that type; null if they do} */
    public static @Nullable String refusal(DType type) {
        return type.family() == DType.Family.FLOAT && type.byteSize() > 1
                ? null
                : "it encodes FLOAT16, BFLOAT16, FLOAT32 and FLOAT64";
    }

    /**
     * Requires elements that are not refused, and a sum, with or without a factor: what is encoded can be reduced by no other.
     *
     * @param why the elements are refused; null if they are not
     * @throws InvalidCallException if it is another
     */
    public static void requireReducible(@Nullable String why, Tensor tensor, Reduction op) {
        boolean isSum = op == ReduceOp.SUM || op == ReduceOp.AVG || op instanceof PreMulSum;
        if (why != null || !isSum) {
            throw new InvalidCallException("a tensor cannot be reduced so: tensor=" + tensor + ", reduction="
                    + op.label() + ", why=" + (why == null ? "encoded elements are added up" : why)
                    + "; give floating-point elements, and SUM, AVG or a PreMulSum");
        }
    }

    /** {@return what each rank's elements are multiplied by, a number of the accumulator's} */
    public static double of(Reduction op, int ranks, DType type) {
        double weight = op instanceof PreMulSum scaled ? scaled.factor() : op == ReduceOp.AVG ? 1.0 / ranks : 1;
        return type.accumulator() == DType.FLOAT64 ? weight : (float) weight;
    }
}
