package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;

/** Reductions of longs, wrapping; unsigned only where the order of numbers matters. */
record LongArithmetic(ReduceOp op, boolean isUnsigned) implements Arithmetic<long[]> {

    @Override
    public void combine(long[] accumulated, long[] operand, int n) {
        switch (op) {
            case SUM -> sum(accumulated, operand, n);
            case PRODUCT -> product(accumulated, operand, n);
            case MIN -> min(accumulated, operand, isUnsigned ? Long.MIN_VALUE : 0, n);
            case MAX -> max(accumulated, operand, isUnsigned ? Long.MIN_VALUE : 0, n);
            case BAND -> and(accumulated, operand, n);
            case BOR -> or(accumulated, operand, n);
            case BXOR -> xor(accumulated, operand, n);
            case AVG -> throw new AssertionError("no such reduction of an integer type: op=" + op);
        }
    }

    private static void sum(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] + b[i];
        }
    }

    private static void product(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    /** The bias turns the order of unsigned numbers into that of signed ones. */
    private static void min(long[] a, long[] b, long bias, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i] ^ bias, b[i] ^ bias) ^ bias;
        }
    }

    private static void max(long[] a, long[] b, long bias, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i] ^ bias, b[i] ^ bias) ^ bias;
        }
    }

    private static void and(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] & b[i];
        }
    }

    private static void or(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] | b[i];
        }
    }

    private static void xor(long[] a, long[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] ^ b[i];
        }
    }
}
