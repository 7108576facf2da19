package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;

/** The sum of elements that are multiplied first: one rounding for the product, one for the sum. */
final class PreMulArithmetic {

    private PreMulArithmetic() {}

    /** In float, for FLOAT32 and the 16-bit types. */
    static final class OfFloats implements Arithmetic<float[]> {

        private final Arithmetic<float[]> sum = new FloatArithmetic(ReduceOp.SUM);
        private final float factor;

        OfFloats(double factor) {
            this.factor = (float) factor;
        }

        @Override
        public void prepare(float[] elements, int n) {
            float factor = this.factor;
            for (int i = 0; i < n; i++) {
                elements[i] *= factor;
            }
        }

        @Override
        public void combine(float[] accumulated, float[] operand, int n) {
            sum.combine(accumulated, operand, n);
        }
    }

    /** In double, for FLOAT64. */
    static final class OfDoubles implements Arithmetic<double[]> {

        private final Arithmetic<double[]> sum = new DoubleArithmetic(ReduceOp.SUM);
        private final double factor;

        OfDoubles(double factor) {
            this.factor = factor;
        }

        @Override
        public void prepare(double[] elements, int n) {
            double factor = this.factor;
            for (int i = 0; i < n; i++) {
                elements[i] *= factor;
            }
        }

        @Override
        public void combine(double[] accumulated, double[] operand, int n) {
            sum.combine(accumulated, operand, n);
        }
    }
}
