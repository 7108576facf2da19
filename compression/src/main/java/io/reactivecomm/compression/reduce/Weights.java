package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;

/** The numbers by which ranks' elements are multiplied before they are added up. */
final class Weights {

    private Weights() {}

    /** {@return whether it is a sum, with or without a factor: what is encoded can be reduced by no other} */
    static boolean isSum(Reduction op) {
        return op == ReduceOp.SUM || op == ReduceOp.AVG || op instanceof PreMulSum;
    }

    /** {@return what each rank's elements are multiplied by, a number of the accumulator's} */
    static double of(Reduction op, int ranks, DType type) {
        double weight = op instanceof PreMulSum scaled ? scaled.factor() : op == ReduceOp.AVG ? 1.0 / ranks : 1;
        return type.accumulator() == DType.FLOAT64 ? weight : (float) weight;
    }
}
