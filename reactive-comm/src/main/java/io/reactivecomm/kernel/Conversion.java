package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;

/**
 * Copies elements from one floating-point type to another, multiplied by a factor on the way.
 *
 * <p>As a {@link StripFold} does, it works on strips in heap arrays, which C2 vectorises. The product is rounded once in FLOAT32, or in
 * FLOAT64 if that is one of the two types, and then to the target's type. FLOAT64 becomes a 16-bit type by way of FLOAT32, rounded twice.
 * Elements that keep type and value are copied as bytes, whatever their type; only such a copy serves types that are not floating point.
 *
 * <p><b>In place.</b> The target may be the very memory of the source if both types are the same, never a shifted overlap.
 *
 * <p><b>Threads.</b> An instance owns scratch strips: one thread at a time.
 */
abstract sealed class Conversion {

    private Conversion() {}

    /**
     * {@return a new conversion}
     *
     * @param factor what each element is multiplied by
     * @throws IllegalArgumentException if elements of those types cannot become each other
     */
    public static Conversion of(DType from, DType to, double factor) {
        if (from == to && factor == 1) {
            return new Copy(from.byteSize());
        }
        if (from.family() != DType.Family.FLOAT || to.family() != DType.Family.FLOAT) {
            throw new IllegalArgumentException("no such conversion: from=" + from + ", to=" + to + ", factor=" + factor
                    + "; convert between floating-point types");
        }
        return from == DType.FLOAT64 || to == DType.FLOAT64
                ? new Strips.OfDoubles(Kernels.doubleLanes(from), Kernels.doubleLanes(to), factor)
                : new Strips.OfFloats(Kernels.floatLanes(from), Kernels.floatLanes(to), (float) factor);
    }

    /** Converts the first {@code count} elements. */
    public abstract void convert(MemorySegment source, MemorySegment target, long count);

    private static final class Copy extends Conversion {

        private final int elementBytes;

        private Copy(int elementBytes) {
            this.elementBytes = elementBytes;
        }

        @Override
        public void convert(MemorySegment source, MemorySegment target, long count) {
            MemorySegment.copy(source, 0, target, 0, count * elementBytes);
        }
    }

    /** @param <A> the array of a strip */
    private abstract static sealed class Strips<A> extends Conversion {

        private final StripLanes<A> from;
        private final StripLanes<A> to;
        private final A strip;

        private Strips(StripLanes<A> from, StripLanes<A> to, A strip) {
            this.from = from;
            this.to = to;
            this.strip = strip;
        }

        abstract void scale(A numbers, int n);

        @Override
        public final void convert(MemorySegment source, MemorySegment target, long count) {
            for (long at = 0; at < count; at += StripFold.STRIP) {
                int n = (int) Math.min(StripFold.STRIP, count - at);
                from.read(source, at, strip, n);
                scale(strip, n);
                to.write(strip, target, at, n);
            }
        }

        private static final class OfFloats extends Strips<float[]> {

            private final float factor;

            private OfFloats(StripLanes<float[]> from, StripLanes<float[]> to, float factor) {
                super(from, to, new float[StripFold.STRIP]);
                this.factor = factor;
            }

            @Override
            void scale(float[] numbers, int n) {
                float by = factor;
                for (int i = 0; i < n; i++) {
                    numbers[i] *= by;
                }
            }
        }

        private static final class OfDoubles extends Strips<double[]> {

            private final double factor;

            private OfDoubles(StripLanes<double[]> from, StripLanes<double[]> to, double factor) {
                super(from, to, new double[StripFold.STRIP]);
                this.factor = factor;
            }

            @Override
            void scale(double[] numbers, int n) {
                double by = factor;
                for (int i = 0; i < n; i++) {
                    numbers[i] *= by;
                }
            }
        }
    }
}
