package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;

/** Reductions of bytes, wrapping; unsigned only where the order of numbers matters. */
record ByteArithmetic(ReduceOp op, boolean isUnsigned) implements Arithmetic<byte[]> {

    @Override
    public void combine(byte[] accumulated, byte[] operand, int n) {
        switch (op) {
            case SUM -> sum(accumulated, operand, n);
            case PRODUCT -> product(accumulated, operand, n);
            case MIN -> min(accumulated, operand, isUnsigned ? Byte.MIN_VALUE : 0, n);
            case MAX -> max(accumulated, operand, isUnsigned ? Byte.MIN_VALUE : 0, n);
            case BAND -> and(accumulated, operand, n);
            case BOR -> or(accumulated, operand, n);
            case BXOR -> xor(accumulated, operand, n);
            case AVG -> throw new AssertionError("no such reduction of an integer type: op=" + op);
        }
    }

    private static void sum(byte[] a, byte[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (byte) (a[i] + b[i]);
        }
    }

    private static void product(byte[] a, byte[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (byte) (a[i] * b[i]);
        }
    }

    /** The bias turns the order of unsigned numbers into that of signed ones. */
    private static void min(byte[] a, byte[] b, int bias, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (byte) (Math.min(a[i] ^ bias, b[i] ^ bias) ^ bias);
        }
    }

    private static void max(byte[] a, byte[] b, int bias, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (byte) (Math.max(a[i] ^ bias, b[i] ^ bias) ^ bias);
        }
    }

    private static void and(byte[] a, byte[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (byte) (a[i] & b[i]);
        }
    }

    private static void or(byte[] a, byte[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (byte) (a[i] | b[i]);
        }
    }

    private static void xor(byte[] a, byte[] b, int n) {
        for (int i = 0; i < n; i++) {
            a[i] = (byte) (a[i] ^ b[i]);
        }
    }
}
