package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.reactivecomm.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/**
 * A template of {@link FoldLoops} for FLOAT16 in and out, as plain loops that C2 turns into vectors. {@link FoldForm} says how it
 * becomes classes; the template itself is never initialised.
 *
 * <p>The Vector API of JDK 25 has no way from binary16 to float, and bit by bit it takes some thirty operations a vector. The JDK's scalar
 * conversions become one instruction each where a loop around them is vectorised. That happens as long as the loop writes to an array: one
 * that reads and writes memory outside the heap might overlap itself and stays scalar, a hundred times slower. So a strip of results is
 * made in the first cache, straight from the operands, and copied out. To copy the operands into arrays first took 1.3 times as long for
 * two of them and 1.6 times for four. To hand the loop a slice of each instead of the strip's place took up to 1.2 times. Partial results
 * among the operands, floats, would leave the loop scalar again; such folds go the way of {@link StripFold}.
 */
final class Float16Loops implements FoldLoops {

    private static final FoldForm FORM = FoldForm.of(MethodHandles.lookup());
    private static final ReduceOp OP = FORM.op();
    private static final boolean DIVIDES = FORM.divides();

    /** One of 1,024 elements takes up to 1.2 times as long with four operands; longer ones gain nothing. */
    private static final int STRIP = 2048;

    private final short[] halves = new short[STRIP];

    Float16Loops() {}

    @Override
    public void one(long target, long a, long count, int divisor) {
        for (long from = 0; from < count; from += STRIP) {
            int n = (int) Math.min(STRIP, count - from);
            strip(a, from, n, divisor);
            copyOut(target, from, n);
        }
    }

    @Override
    public void two(long target, long a, long b, long count, int divisor) {
        for (long from = 0; from < count; from += STRIP) {
            int n = (int) Math.min(STRIP, count - from);
            strip(a, b, from, n, divisor);
            copyOut(target, from, n);
        }
    }

    @Override
    public void three(long target, long a, long b, long c, long count, int divisor) {
        for (long from = 0; from < count; from += STRIP) {
            int n = (int) Math.min(STRIP, count - from);
            strip(a, b, c, from, n, divisor);
            copyOut(target, from, n);
        }
    }

    @Override
    public void four(long target, long a, long b, long c, long d, long count, int divisor) {
        for (long from = 0; from < count; from += STRIP) {
            int n = (int) Math.min(STRIP, count - from);
            strip(a, b, c, d, from, n, divisor);
            copyOut(target, from, n);
        }
    }

    private void strip(long a, long from, int n, float divisor) {
        short[] halves = this.halves;
        for (int i = 0; i < n; i++) {
            put(get(a, from, i), divisor, halves, i);
        }
    }

    private void strip(long a, long b, long from, int n, float divisor) {
        short[] halves = this.halves;
        for (int i = 0; i < n; i++) {
            put(with(get(a, from, i), b, from, i), divisor, halves, i);
        }
    }

    private void strip(long a, long b, long c, long from, int n, float divisor) {
        short[] halves = this.halves;
        for (int i = 0; i < n; i++) {
            put(with(with(get(a, from, i), b, from, i), c, from, i), divisor, halves, i);
        }
    }

    private void strip(long a, long b, long c, long d, long from, int n, float divisor) {
        short[] halves = this.halves;
        for (int i = 0; i < n; i++) {
            put(with(with(with(get(a, from, i), b, from, i), c, from, i), d, from, i), divisor, halves, i);
        }
    }

    private static float get(long source, long from, int i) {
        return Float.float16ToFloat(
                MEMORY.get(JAVA_SHORT_UNALIGNED, source + from * Short.BYTES + (long) Short.BYTES * i));
    }

    private static float with(float accumulated, long source, long from, int i) {
        float operand = get(source, from, i);
        return switch (OP) {
            case SUM, AVG -> accumulated + operand;
            case PRODUCT -> accumulated * operand;
            case MIN -> Math.min(accumulated, operand);
            case MAX -> Math.max(accumulated, operand);
            case BAND, BOR, BXOR -> throw new AssertionError("no such reduction of a floating-point type: op=" + OP);
        };
    }

    private static void put(float accumulated, float divisor, short[] halves, int i) {
        halves[i] = Float.floatToFloat16(DIVIDES ? accumulated / divisor : accumulated);
    }

    private void copyOut(long target, long from, int n) {
        MemorySegment.copy(halves, 0, MEMORY, JAVA_SHORT_UNALIGNED, target + from * Short.BYTES, n);
    }
}
