package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;

/** Reductions of ints, wrapping; unsigned only where the order of numbers matters. */
record IntArithmetic(ReduceOp op, boolean isUnsigned) implements Arithmetic<int[]> {

    @Override
    public void combine(int[] accumulated, int[] operand, int n) {
        switch (op) {
            case SUM -> sum(accumulated, operand, n);
            case PRODUCT -> product(accumulated, operand, n);
            case MIN -> min(accumulated, operand, isUnsigned ? Integer.MIN_VALUE : 0, n);
            case MAX -> max(accumulated, operand, isUnsigned ? Integer.MIN_VALUE : 0, n);
            case BAND -> and(accumulated, operand, n);
            case BOR -> or(accumulated, operand, n);
            case BXOR -> xor(accumulated, operand, n);
            case AVG -> throw new AssertionError("no such reduction of an integer type: op=" + op);
        }
    }

    private static void sum(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] + b[i];
        }
    }

    private static void product(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    /** The bias turns the order of unsigned numbers into that of signed ones. */
    private static void min(int[] a, int[] b, int bias, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i] ^ bias, b[i] ^ bias) ^ bias;
        }
    }

    private static void max(int[] a, int[] b, int bias, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i] ^ bias, b[i] ^ bias) ^ bias;
        }
    }

    private static void and(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] & b[i];
        }
    }

    private static void or(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] | b[i];
        }
    }

    private static void xor(int[] a, int[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] ^ b[i];
        }
    }
}
