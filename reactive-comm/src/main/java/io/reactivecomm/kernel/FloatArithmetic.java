package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;

/** Reductions of floats, one rounding a step. */
record FloatArithmetic(ReduceOp op) implements Arithmetic<float[]> {

    @Override
    public void combine(float[] accumulated, float[] operand, int n) {
        switch (op) {
            case SUM, AVG -> sum(accumulated, operand, n);
            case PRODUCT -> product(accumulated, operand, n);
            case MIN -> min(accumulated, operand, n);
            case MAX -> max(accumulated, operand, n);
            case BAND, BOR, BXOR -> throw new AssertionError("no such reduction of a floating-point type: op=" + op);
        }
    }

    @Override
    public void finish(float[] accumulated, int divisor, int n) {
        if (op == ReduceOp.AVG) {
            divide(accumulated, divisor, n);
        }
    }

    private static void sum(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] + b[i];
        }
    }

    private static void product(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    private static void min(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i], b[i]);
        }
    }

    private static void max(float[] a, float[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i], b[i]);
        }
    }

    private static void divide(float[] a, float divisor, int n) {
        for (int i = 0; i < n; i++) {
            a[i] /= divisor;
        }
    }
}
