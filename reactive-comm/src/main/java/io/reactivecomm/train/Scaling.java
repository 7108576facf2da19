package io.reactivecomm.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;

/**
 * The scaling of the sum over ranks, and when it is applied. For n ranks with the gradients g:
 *
 * <pre>
 *   SUM            Σ g
 *   AVERAGE        (Σ g) / n               divided once, in the accumulator, before the only rounding
 *   PRESCALE       Σ (g · 1/n)             no partial sum is larger than the largest gradient
 *   predivide(f)   (Σ (g · 1/f)) · f/n     an average for every f; f = n is PRESCALE, f = 1 divides at the end
 * </pre>
 *
 * <p>A rank without a gradient contributes zeros, and n is the size of the group in every case.
 *
 * <p>The first factor of {@code PRESCALE} and {@code predivide} is multiplied in the type's {@linkplain io.reactivecomm.DType#accumulator()
 * accumulator}, so a 16-bit gradient is not rounded in between. If the {@linkplain BucketOptions#withCommunicationType communication type}
 * of a bucket is not the type of all its gradients, they are multiplied before they are converted: 70,000 with PRESCALE on two ranks travels as FLOAT16, which ends at 65,504. The
 * product is rounded to that type, and the call is a SUM. The second factor is applied as results leave the bucket, in its type or FLOAT32.
 *
 * <p><b>Shapes.</b> SUM takes every type that has sums; the others take floating point only.
 */
public sealed interface Scaling {

    Scaling SUM = Standard.SUM;
    Scaling AVERAGE = Standard.AVERAGE;
    Scaling PRESCALE = Standard.PRESCALE;

    /** Those without a parameter. */
    enum Standard implements Scaling {
        SUM,
        AVERAGE,
        PRESCALE;

        @Override
        public Reduction reduction(int size) {
            return switch (this) {
                case SUM -> ReduceOp.SUM;
                case AVERAGE -> ReduceOp.AVG;
                case PRESCALE -> new PreMulSum(1.0 / size);
            };
        }

        @Override
        public double lastFactor(int size) {
            return 1;
        }
    }

    /**
     * Division in two parts.
     *
     * @param factor the divisor before the sum, from {@link #LEAST} to {@link #MOST}
     */
    record Predivide(double factor) implements Scaling {

        /** The least normal number of FLOAT32, in which gradients are scaled. Smaller factors lose bits. */
        public static final double LEAST = Float.MIN_NORMAL;

        /** The inverse of {@link #LEAST}. With larger factors the product of every gradient would lose bits, and then be zero. */
        public static final double MOST = 1 / LEAST;

        public Predivide {
            if (!(factor >= LEAST && factor <= MOST)) {
                throw new InvalidCallException("gradients cannot be divided by that: factor=" + factor + ", least="
                        + LEAST + ", most=" + MOST + "; give one between 1 and the number of ranks, as a rule");
            }
        }

        @Override
        public Reduction reduction(int size) {
            return new PreMulSum(1.0 / factor);
        }

        @Override
        public double lastFactor(int size) {
            return factor / size;
        }
    }

    /** {@return an average over ranks, divided by the factor before the sum and by the rest after it} */
    static Scaling predivide(double factor) {
        return new Predivide(factor);
    }

    // No default methods: with one the enum's initialization would begin with this interface's, whose constants would
    // be null.

    /** {@return the reduction of buckets whose gradients are not multiplied as they are converted} */
    Reduction reduction(int size);

    /** {@return the factor of a result on its way out of the bucket} */
    double lastFactor(int size);
}
