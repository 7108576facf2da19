package io.reactivecomm.kernel;

import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * A template of {@link FoldLoops} for BFLOAT16 in and out, two elements to a lane. {@link FoldForm} says how it becomes classes; the
 * template itself is never initialised.
 *
 * <p>A vector of ints is loaded as it lies in memory, and each of its lanes holds two elements:
 *
 * <pre>
 *            31             16 15              0
 *           +-----------------+-----------------+
 *   a lane  |        u        |        l        |
 *           +-----------------+-----------------+
 *   upper   |        u        |        0        |   and: u as a float
 *   lower   |        l        |        0        |   shift: l as a float
 * </pre>
 *
 * Both vectors of floats are folded and rounded on their own, and an "or" puts the halves back where they came from, on machines of either
 * byte order. Widening shorts to ints and narrowing them again instead, as {@link VectorLanes.UpperHalves} must, moves elements from lane
 * to lane, for which a core has one unit. That takes up to 1.5 times as long from the caches. Minima and maxima need neither,
 * {@link VectorLanes.Ordered}.
 */
final class BFloat16Loops implements FoldLoops {

    private static final FoldForm FORM = FoldForm.of(MethodHandles.lookup());
    private static final VectorOperators.Binary OP = FORM.lanewise();
    private static final boolean DIVIDES = FORM.divides();
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    private static final long VECTOR_BYTES = INTS.vectorByteSize();
    private static final int UPPER = 0xFFFF_0000;

    BFloat16Loops() {}

    @Override
    public void one(long target, long a, long count, int divisor) {
        FloatVector by = FloatVector.broadcast(FLOATS, divisor);
        long bytes = count * Short.BYTES;
        for (long at = 0; at < bytes; at += VECTOR_BYTES) {
            IntVector x = load(a, at);
            store(lower(x), upper(x), by, target, at);
        }
    }

    @Override
    public void two(long target, long a, long b, long count, int divisor) {
        FloatVector by = FloatVector.broadcast(FLOATS, divisor);
        long bytes = count * Short.BYTES;
        for (long at = 0; at < bytes; at += VECTOR_BYTES) {
            IntVector x = load(a, at);
            IntVector y = load(b, at);
            store(with(lower(x), lower(y)), with(upper(x), upper(y)), by, target, at);
        }
    }

    @Override
    public void three(long target, long a, long b, long c, long count, int divisor) {
        FloatVector by = FloatVector.broadcast(FLOATS, divisor);
        long bytes = count * Short.BYTES;
        for (long at = 0; at < bytes; at += VECTOR_BYTES) {
            IntVector x = load(a, at);
            IntVector y = load(b, at);
            IntVector z = load(c, at);
            FloatVector lower = with(with(lower(x), lower(y)), lower(z));
            FloatVector upper = with(with(upper(x), upper(y)), upper(z));
            store(lower, upper, by, target, at);
        }
    }

    @Override
    public void four(long target, long a, long b, long c, long d, long count, int divisor) {
        FloatVector by = FloatVector.broadcast(FLOATS, divisor);
        long bytes = count * Short.BYTES;
        for (long at = 0; at < bytes; at += VECTOR_BYTES) {
            IntVector x = load(a, at);
            IntVector y = load(b, at);
            IntVector z = load(c, at);
            IntVector w = load(d, at);
            FloatVector lower = with(with(with(lower(x), lower(y)), lower(z)), lower(w));
            FloatVector upper = with(with(with(upper(x), upper(y)), upper(z)), upper(w));
            store(lower, upper, by, target, at);
        }
    }

    private static IntVector load(long source, long at) {
        return IntVector.fromMemorySegment(INTS, MEMORY, source + at, ByteOrder.nativeOrder());
    }

    private static FloatVector lower(IntVector pairs) {
        return pairs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
    }

    private static FloatVector upper(IntVector pairs) {
        return pairs.and(UPPER).reinterpretAsFloats();
    }

    private static FloatVector with(FloatVector accumulated, FloatVector operand) {
        return accumulated.lanewise(OP, operand);
    }

    /** The divisor comes as a vector: one made of it here was now and then made anew each turn, for half of the speed. */
    private static void store(FloatVector lower, FloatVector upper, FloatVector divisor, long target, long at) {
        IntVector low = VectorLanes.UpperHalves.rounded(DIVIDES ? lower.div(divisor) : lower);
        IntVector high = VectorLanes.UpperHalves.rounded(DIVIDES ? upper.div(divisor) : upper);
        high.and(UPPER)
                .or(low.lanewise(VectorOperators.LSHR, 16))
                .intoMemorySegment(MEMORY, target + at, ByteOrder.nativeOrder());
    }
}
