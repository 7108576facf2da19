package io.reactivecomm.kernel;

import io.reactivecomm.BFloat16;
import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The conversion of elements of one type in memory to the lanes of a vector of accumulators, and back. Loaded only where the module
 * {@code jdk.incubator.vector} is.
 *
 * @param <E> the accumulator, boxed
 */
sealed interface VectorLanes<E> {

    /** {@return the vectors of accumulators, as wide as the machine's} */
    VectorSpecies<E> species();

    /** {@return as many elements as there are lanes, from the element {@code from} on} */
    Vector<E> load(long source, long from);

    /** Writes them, rounded to the type. */
    void store(Vector<E> numbers, long target, long from);

    /** {@return the lanes of a type that the Vector API has a way to; unsigned integers are their bits} */
    static VectorLanes<?> of(DType type) {
        return switch (type) {
            case FLOAT32 -> new Whole<>(FloatVector.SPECIES_PREFERRED);
            case FLOAT64 -> new Whole<>(DoubleVector.SPECIES_PREFERRED);
            case INT8, UINT8 -> new Whole<>(ByteVector.SPECIES_PREFERRED);
            case INT32, UINT32 -> new Whole<>(IntVector.SPECIES_PREFERRED);
            case INT64, UINT64 -> new Whole<>(LongVector.SPECIES_PREFERRED);
            case BFLOAT16 -> new UpperHalves();
            case FLOAT16, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("no lanes of this type: type=" + type);
        };
    }

    /** Lanes of a type that is its own accumulator. */
    record Whole<E>(VectorSpecies<E> species, int elementBytes) implements VectorLanes<E> {

        Whole(VectorSpecies<E> species) {
            this(species, species.elementSize() / Byte.SIZE);
        }

        @Override
        public Vector<E> load(long source, long from) {
            return species.fromMemorySegment(FoldLoops.MEMORY, source + from * elementBytes, ByteOrder.nativeOrder());
        }

        @Override
        public void store(Vector<E> numbers, long target, long from) {
            numbers.intoMemorySegment(FoldLoops.MEMORY, target + from * elementBytes, ByteOrder.nativeOrder());
        }
    }

    /** Lanes of BFLOAT16: a vector of shorts is half as wide as the vector of floats that it becomes the upper halves of. */
    record UpperHalves() implements VectorLanes<Float> {

        private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
        private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
        private static final VectorSpecies<Short> SHORTS =
                VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));

        /** The bit of a float by which its upper half is a NaN whatever the rest is. */
        private static final int QUIET = 0x0040_0000;

        /**
         * {@return floats whose upper halves are the nearest BFLOAT16s, as {@link BFloat16#fromFloatBits(int)} rounds; the lower halves
         * are of no meaning}
         */
        static IntVector rounded(FloatVector numbers) {
            IntVector bits = numbers.reinterpretAsInts();
            IntVector nearest =
                    bits.add(bits.lanewise(VectorOperators.LSHR, 16).and(1)).add(0x7FFF);
            VectorMask<Integer> isNaN =
                    numbers.compare(VectorOperators.NE, numbers).cast(INTS);
            return nearest.blend(bits.or(QUIET), isNaN);
        }

        @Override
        public VectorSpecies<Float> species() {
            return FLOATS;
        }

        @Override
        public FloatVector load(long source, long from) {
            ShortVector halves = ShortVector.fromMemorySegment(
                    SHORTS, FoldLoops.MEMORY, source + from * Short.BYTES, ByteOrder.nativeOrder());
            IntVector bits = (IntVector) halves.convertShape(VectorOperators.S2I, INTS, 0);
            return bits.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
        }

        @Override
        public void store(Vector<Float> numbers, long target, long from) {
            IntVector bits = rounded((FloatVector) numbers).lanewise(VectorOperators.ASHR, 16);
            bits.convertShape(VectorOperators.I2S, SHORTS, 0)
                    .intoMemorySegment(FoldLoops.MEMORY, target + from * Short.BYTES, ByteOrder.nativeOrder());
        }
    }

    /**
     * Lanes of a 16-bit floating-point type for MIN or MAX among its elements: shorts whose order is that of the floats, with every
     * NaN beyond the end that wins. Nothing is widened and nothing rounded.
     *
     * <p>With all bits but the sign inverted where it is set, the bits of floats are in the order of their numbers. -0 comes before 0, from
     * the NaNs with a sign to those without. Adding the number of the latter turns the circle until those, too, come before -∞; taking it
     * away, until all NaNs come after ∞:
     *
     * <pre>
     *          -32768                                                     32767
     *   keys   | -NaN | -∞ …  -0 | 0  …                            ∞ | NaN |
     *   MIN    | NaN | -NaN | -∞ …  -0 | 0  …                            ∞ |
     *   MAX    | -∞ …  -0 | 0  …                            ∞ | NaN | -NaN |
     * </pre>
     */
    record Ordered(short turn) implements VectorLanes<Short> {

        private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_PREFERRED;
        private static final short ALL_BUT_THE_SIGN = Short.MAX_VALUE;
        private static final int FLOAT16_NANS = 0x3FF;
        private static final int BFLOAT16_NANS = 0x7F;

        Ordered(DType type, ReduceOp op) {
            int nans = type == DType.FLOAT16 ? FLOAT16_NANS : BFLOAT16_NANS;
            this((short) (op == ReduceOp.MIN ? nans : -nans));
        }

        @Override
        public VectorSpecies<Short> species() {
            return SHORTS;
        }

        @Override
        public ShortVector load(long source, long from) {
            return inOrder(ShortVector.fromMemorySegment(
                            SHORTS, FoldLoops.MEMORY, source + from * Short.BYTES, ByteOrder.nativeOrder()))
                    .add(turn);
        }

        @Override
        public void store(Vector<Short> keys, long target, long from) {
            inOrder(((ShortVector) keys).sub(turn))
                    .intoMemorySegment(FoldLoops.MEMORY, target + from * Short.BYTES, ByteOrder.nativeOrder());
        }

        /** Its own inverse. */
        private static ShortVector inOrder(ShortVector bits) {
            return bits.lanewise(
                    VectorOperators.XOR,
                    bits.lanewise(VectorOperators.ASHR, Short.SIZE - 1).and(ALL_BUT_THE_SIGN));
        }
    }
}
