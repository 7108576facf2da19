package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * One read of the floating-point elements of tensors in the host's memory: the sum of their squares, or the first that is not finite.
 *
 * <p><b>Bits.</b> Squares add up in FLOAT64, in eight lanes: element i of each tensor in lane i mod 8, tensors in the order in which they are added. The lanes add up in pairs,
 * at a distance of 4, 2 and 1. So the sum has the same bits on all processors, with vectors and without.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class FloatScan {

    /** The index of an element that is not there. */
    public static final long NONE = -1;

    private static final int LANES = 8;
    private static final int FLOAT_EXPONENT = 0x7f80_0000;
    private static final long DOUBLE_EXPONENT = 0x7ff0_0000_0000_0000L;

    private final double[] lanes = new double[LANES];
    private final double[] strip = new double[StripFold.STRIP];

    /** {@return whether elements of a type can be read} */
    public static boolean reads(DType type) {
        return type == DType.FLOAT16 || type == DType.BFLOAT16 || type == DType.FLOAT32 || type == DType.FLOAT64;
    }

    /** Adds the squares of a tensor's elements. */
    public void addSquares(Tensor tensor) {
        StripLanes<double[]> elements = Kernels.doubleLanes(tensor.type());
        MemorySegment memory = tensor.segment();
        for (long at = 0; at < tensor.count(); at += strip.length) {
            int n = (int) Math.min(strip.length, tensor.count() - at);
            elements.read(memory, at, strip, n);
            int whole = n - n % LANES;
            for (int i = 0; i < whole; i += LANES) {
                for (int lane = 0; lane < LANES; lane++) {
                    lanes[lane] += strip[i + lane] * strip[i + lane];
                }
            }
            for (int i = whole; i < n; i++) {
                lanes[i - whole] += strip[i] * strip[i];
            }
        }
    }

    /** {@return the sum of all squares} */
    public double squares() {
        double[] sums = lanes.clone();
        for (int distance = LANES / 2; distance > 0; distance /= 2) {
            for (int lane = 0; lane < distance; lane++) {
                sums[lane] += sums[lane + distance];
            }
        }
        return sums[0];
    }

    /** {@return the index of the first element that is a NaN or an infinity, or {@link #NONE}} */
    public static long firstNonFinite(Tensor tensor) {
        return tensor.type() == DType.FLOAT64 ? firstOfDoubles(tensor) : firstOfFloats(tensor);
    }

    private static long firstOfFloats(Tensor tensor) {
        StripLanes<float[]> elements = Kernels.floatLanes(tensor.type());
        float[] strip = new float[StripFold.STRIP];
        for (long at = 0; at < tensor.count(); at += strip.length) {
            int n = (int) Math.min(strip.length, tensor.count() - at);
            elements.read(tensor.segment(), at, strip, n);
            int greatest = 0;
            // A maximum of integers becomes vector code.
            for (int i = 0; i < n; i++) {
                greatest = Math.max(greatest, Float.floatToRawIntBits(strip[i]) & FLOAT_EXPONENT);
            }
            for (int i = 0; greatest == FLOAT_EXPONENT && i < n; i++) {
                if (!Float.isFinite(strip[i])) {
                    return at + i;
                }
            }
        }
        return NONE;
    }

    private static long firstOfDoubles(Tensor tensor) {
        StripLanes<double[]> elements = Kernels.doubleLanes(tensor.type());
        double[] strip = new double[StripFold.STRIP];
        for (long at = 0; at < tensor.count(); at += strip.length) {
            int n = (int) Math.min(strip.length, tensor.count() - at);
            elements.read(tensor.segment(), at, strip, n);
            long greatest = 0;
            for (int i = 0; i < n; i++) {
                greatest = Math.max(greatest, Double.doubleToRawLongBits(strip[i]) & DOUBLE_EXPONENT);
            }
            for (int i = 0; greatest == DOUBLE_EXPONENT && i < n; i++) {
                if (!Double.isFinite(strip[i])) {
                    return at + i;
                }
            }
        }
        return NONE;
    }
}
