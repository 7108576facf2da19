package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.reactivecomm.BFloat16;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Lanes of BFLOAT16 with the Vector API: a vector of shorts is half as wide as the vector of ints or floats that it
 * becomes.
 *
 * <p>The rounding is that of {@link BFloat16#fromFloatBits(int)}, step by step. Loaded only where the module
 * {@code jdk.incubator.vector} is.
 */
final class BFloat16VectorLanes implements Lanes<float[]> {

    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = INTS.length();

    @Override
    public void read(MemorySegment source, long from, float[] into, int n) {
        int body = INTS.loopBound(n);
        for (int i = 0; i < body; i += LANES) {
            ShortVector halves = ShortVector.fromMemorySegment(SHORTS, source, (from + i) * Short.BYTES, ORDER);
            IntVector bits = (IntVector) halves.convertShape(VectorOperators.S2I, INTS, 0);
            bits.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().intoArray(into, i);
        }
        for (int i = body; i < n; i++) {
            into[i] = BFloat16.toFloat(source.get(JAVA_SHORT_UNALIGNED, (from + i) * Short.BYTES));
        }
    }

    @Override
    public void write(float[] numbers, MemorySegment target, long from, int n) {
        int body = INTS.loopBound(n);
        for (int i = 0; i < body; i += LANES) {
            IntVector bits = FloatVector.fromArray(FLOATS, numbers, i).reinterpretAsInts();
            ShortVector halves = (ShortVector) rounded(bits).convertShape(VectorOperators.I2S, SHORTS, 0);
            halves.intoMemorySegment(target, (from + i) * Short.BYTES, ORDER);
        }
        for (int i = body; i < n; i++) {
            target.set(JAVA_SHORT_UNALIGNED, (from + i) * Short.BYTES, BFloat16.fromFloat(numbers[i]));
        }
    }

    private static IntVector rounded(IntVector bits) {
        IntVector upper = bits.lanewise(VectorOperators.ASHR, 16);
        IntVector nearest = bits.add(0x7FFF).add(upper.and(1)).lanewise(VectorOperators.ASHR, 16);
        IntVector quieted = upper.or(0x40);
        return nearest.blend(quieted, bits.and(0x7FFF_FFFF).compare(VectorOperators.GT, 0x7F80_0000));
    }
}
