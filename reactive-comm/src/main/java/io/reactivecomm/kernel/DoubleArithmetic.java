package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;

/** Reductions of doubles, one rounding a step. */
record DoubleArithmetic(ReduceOp op) implements Arithmetic<double[]> {

    @Override
    public void combine(double[] accumulated, double[] operand, int n) {
        switch (op) {
            case SUM, AVG -> sum(accumulated, operand, n);
            case PRODUCT -> product(accumulated, operand, n);
            case MIN -> min(accumulated, operand, n);
            case MAX -> max(accumulated, operand, n);
            case BAND, BOR, BXOR -> throw new AssertionError("no such reduction of a floating-point type: op=" + op);
        }
    }

    @Override
    public void finish(double[] accumulated, int divisor, int n) {
        if (op == ReduceOp.AVG) {
            divide(accumulated, divisor, n);
        }
    }

    private static void sum(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] + b[i];
        }
    }

    private static void product(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = a[i] * b[i];
        }
    }

    private static void min(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.min(a[i], b[i]);
        }
    }

    private static void max(double[] a, double[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = Math.max(a[i], b[i]);
        }
    }

    private static void divide(double[] a, double divisor, int n) {
        for (int i = 0; i < n; i++) {
            a[i] /= divisor;
        }
    }
}
