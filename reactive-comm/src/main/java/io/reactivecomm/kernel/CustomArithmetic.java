package io.reactivecomm.kernel;

import io.reactivecomm.InvalidCallException;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * A caller's own operator, called once an element and rounded or cut to the accumulator each time.
 *
 * <p>Whatever a faulty operator throws becomes an {@link InvalidCallException}, what the compiler would want declared too: Kotlin and Scala
 * throw it undeclared. Errors of the virtual machine itself, but for an endless recursion, stay what they are.
 */
final class CustomArithmetic {

    private CustomArithmetic() {}

    private static InvalidCallException thrown(String label, Throwable cause) {
        if (cause instanceof VirtualMachineError fatal && !(cause instanceof StackOverflowError)) {
            throw fatal;
        }
        return new InvalidCallException(
                "a reduction's operator threw: op=" + label + ", cause=" + cause + "; let it give a result for all elements", cause);
    }

    /** In float, for FLOAT32 and the 16-bit types. */
    record OfFloats(String label, DoubleBinaryOperator operator) implements Arithmetic<float[]> {

        @Override
        public void combine(float[] a, float[] b, int n) {
            try {
                for (int i = 0; i < n; i++) {
                    a[i] = (float) operator.applyAsDouble(a[i], b[i]);
                }
            } catch (Exception | Error e) {
                throw thrown(label, e);
            }
        }

        @Override
        public void finish(float[] accumulated, int divisor, int n) {
            // The operator's result is the result.
        }
    }

    /** In double, for FLOAT64. */
    record OfDoubles(String label, DoubleBinaryOperator operator) implements Arithmetic<double[]> {

        @Override
        public void combine(double[] a, double[] b, int n) {
            try {
                for (int i = 0; i < n; i++) {
                    a[i] = operator.applyAsDouble(a[i], b[i]);
                }
            } catch (Exception | Error e) {
                throw thrown(label, e);
            }
        }

        @Override
        public void finish(double[] accumulated, int divisor, int n) {
            // The operator's result is the result.
        }
    }

    /** INT8, or UINT8 with a mask of eight ones. */
    record OfBytes(String label, LongBinaryOperator operator, long mask) implements Arithmetic<byte[]> {

        @Override
        public void combine(byte[] a, byte[] b, int n) {
            try {
                for (int i = 0; i < n; i++) {
                    a[i] = (byte) operator.applyAsLong(a[i] & mask, b[i] & mask);
                }
            } catch (Exception | Error e) {
                throw thrown(label, e);
            }
        }

        @Override
        public void finish(byte[] accumulated, int divisor, int n) {
            // The operator's result is the result.
        }
    }

    /** INT32, or UINT32 with a mask of 32 ones. */
    record OfInts(String label, LongBinaryOperator operator, long mask) implements Arithmetic<int[]> {

        @Override
        public void combine(int[] a, int[] b, int n) {
            try {
                for (int i = 0; i < n; i++) {
                    a[i] = (int) operator.applyAsLong(a[i] & mask, b[i] & mask);
                }
            } catch (Exception | Error e) {
                throw thrown(label, e);
            }
        }

        @Override
        public void finish(int[] accumulated, int divisor, int n) {
            // The operator's result is the result.
        }
    }

    /** INT64 and UINT64, whose bits the operator gets. */
    record OfLongs(String label, LongBinaryOperator operator) implements Arithmetic<long[]> {

        @Override
        public void combine(long[] a, long[] b, int n) {
            try {
                for (int i = 0; i < n; i++) {
                    a[i] = operator.applyAsLong(a[i], b[i]);
                }
            } catch (Exception | Error e) {
                throw thrown(label, e);
            }
        }

        @Override
        public void finish(long[] accumulated, int divisor, int n) {
            // The operator's result is the result.
        }
    }
}
