package io.reactivecomm.kernel;

import java.lang.invoke.MethodHandles;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;

/**
 * A template of {@link FoldLoops} with the Vector API, one vector of accumulators a turn; the compiler unrolls. {@link FoldForm} says how
 * it becomes classes; the template itself is never initialised.
 *
 * <p>Serves all types that are their own accumulators, those folds of BFLOAT16 that have partial results among their operands or leave one,
 * and MIN and MAX of all 16-bit floats. The lanes' operations are those of Java's scalars, so the results are the bits of {@link StripFold}'s.
 */
final class VectorLoops implements FoldLoops {

    private static final FoldForm FORM = FoldForm.of(MethodHandles.lookup());
    private static final VectorLanes<Object> FIRST = lanes(FORM.first());
    private static final VectorLanes<Object> OTHERS = lanes(FORM.others());
    private static final VectorLanes<Object> TARGET = lanes(FORM.target());
    private static final VectorOperators.Binary OP = FORM.lanewise();
    private static final boolean DIVIDES = FORM.divides();
    private static final int LANES = FIRST.species().length();

    VectorLoops() {}

    /** All lanes of a form are of vectors of its one accumulator, whichever that is. */
    @SuppressWarnings("unchecked")
    private static VectorLanes<Object> lanes(boolean partial) {
        return (VectorLanes<Object>) FORM.lanes(partial);
    }

    @Override
    public void one(long target, long a, long count, int divisor) {
        Vector<Object> by = by(divisor);
        for (long at = 0; at < count; at += LANES) {
            store(FIRST.load(a, at), by, target, at);
        }
    }

    @Override
    public void two(long target, long a, long b, long count, int divisor) {
        Vector<Object> by = by(divisor);
        for (long at = 0; at < count; at += LANES) {
            store(with(FIRST.load(a, at), b, at), by, target, at);
        }
    }

    @Override
    public void three(long target, long a, long b, long c, long count, int divisor) {
        Vector<Object> by = by(divisor);
        for (long at = 0; at < count; at += LANES) {
            store(with(with(FIRST.load(a, at), b, at), c, at), by, target, at);
        }
    }

    @Override
    public void four(long target, long a, long b, long c, long d, long count, int divisor) {
        Vector<Object> by = by(divisor);
        for (long at = 0; at < count; at += LANES) {
            store(with(with(with(FIRST.load(a, at), b, at), c, at), d, at), by, target, at);
        }
    }

    private static Vector<Object> with(Vector<Object> accumulated, long operand, long at) {
        return accumulated.lanewise(OP, OTHERS.load(operand, at));
    }

    /** A type that is not divided might not hold the number. */
    private static Vector<Object> by(int divisor) {
        return FIRST.species().broadcast(DIVIDES ? divisor : 1);
    }

    private static void store(Vector<Object> accumulated, Vector<Object> divisor, long target, long at) {
        TARGET.store(DIVIDES ? accumulated.lanewise(VectorOperators.DIV, divisor) : accumulated, target, at);
    }
}
