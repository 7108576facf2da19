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
 * <p>Serves folds that are not {@link VectorFold}'s, and conversions. Loaded only where the module
 * {@code jdk.incubator.vector} is.
 */
final class BFloat16VectorLanes implements StripLanes<float[]> {

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
            IntVector upper = VectorLanes.UpperHalves.rounded(FloatVector.fromArray(FLOATS, numbers, i))
                    .lanewise(VectorOperators.ASHR, 16);
            upper.convertShape(VectorOperators.I2S, SHORTS, 0)
                    .intoMemorySegment(target, (from + i) * Short.BYTES, ORDER);
        }
        for (int i = body; i < n; i++) {
            target.set(JAVA_SHORT_UNALIGNED, (from + i) * Short.BYTES, BFloat16.fromFloat(numbers[i]));
        }
    }
}
