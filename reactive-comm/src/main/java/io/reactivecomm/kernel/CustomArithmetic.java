package io.reactivecomm.kernel;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.LateFaults;
import io.reactivecomm.internal.base.ProgramError;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * A caller's own operator, called once for each element. Each result is rounded or cut to the accumulator.
 *
 * <p>An exception from the operator becomes an {@link InvalidCallException}, also a checked one, which Kotlin and Scala throw undeclared. An error that is fatal to
 * the JVM is rethrown and ends the worlds of the loop. The fault of a lost page of the operands is not the operator's, although the JVM may throw it late, in the
 * operator: it is thrown before the operator is called.
 */
final class CustomArithmetic {

    private CustomArithmetic() {}

    /** One of the arithmetics below, whose operator's exceptions become typed errors. */
    record Guarded<A>(String label, Arithmetic<A> arithmetic) implements Arithmetic<A> {

        @Override
        public void combine(A accumulated, A operand, int n) {
            // Measured on JDK 25.0.3: without this the operator got the fault in most cases of CallersKernelTest.
            LateFaults.throwPending();
            try {
                arithmetic.combine(accumulated, operand, n);
            } catch (Exception | Error e) {
                throw thrown(e);
            }
        }

        private InvalidCallException thrown(Throwable cause) {
            ProgramError.throwIfFatal(cause);
            return new InvalidCallException(
                    "a reduction's operator threw: op=" + label + ", cause=" + ErrorTexts.describe(cause)
                            + "; let it give a result for all elements",
                    cause);
        }
    }

    /** In float, for FLOAT32 and the 16-bit types. */
    record OfFloats(DoubleBinaryOperator operator) implements Arithmetic<float[]> {

        @Override
        public void combine(float[] a, float[] b, int n) {
            for (int i = 0; i < n; i++) {
                a[i] = (float) operator.applyAsDouble(a[i], b[i]);
            }
        }
    }

    /** In double, for FLOAT64. */
    record OfDoubles(DoubleBinaryOperator operator) implements Arithmetic<double[]> {

        @Override
        public void combine(double[] a, double[] b, int n) {
            for (int i = 0; i < n; i++) {
                a[i] = operator.applyAsDouble(a[i], b[i]);
            }
        }
    }

    /** INT8, or UINT8 with a mask of eight ones. */
    record OfBytes(LongBinaryOperator operator, long mask) implements Arithmetic<byte[]> {

        @Override
        public void combine(byte[] a, byte[] b, int n) {
            for (int i = 0; i < n; i++) {
                a[i] = (byte) operator.applyAsLong(a[i] & mask, b[i] & mask);
            }
        }
    }

    /** INT32, or UINT32 with a mask of 32 ones. */
    record OfInts(LongBinaryOperator operator, long mask) implements Arithmetic<int[]> {

        @Override
        public void combine(int[] a, int[] b, int n) {
            for (int i = 0; i < n; i++) {
                a[i] = (int) operator.applyAsLong(a[i] & mask, b[i] & mask);
            }
        }
    }

    /** INT64 and UINT64, whose bits the operator gets. */
    record OfLongs(LongBinaryOperator operator) implements Arithmetic<long[]> {

        @Override
        public void combine(long[] a, long[] b, int n) {
            for (int i = 0; i < n; i++) {
                a[i] = operator.applyAsLong(a[i], b[i]);
            }
        }
    }
}
