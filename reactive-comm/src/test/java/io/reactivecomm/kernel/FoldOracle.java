package io.reactivecomm.kernel;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;

/**
 * The right result of a fold of one element, written from the contract and not from the kernels: elements are their bits
 * in a long, partial results their accumulator's bits.
 */
final class FoldOracle {

    private FoldOracle() {}

    /** The bits of the accumulator after the left fold of {@code elements}, of which some are partial results. */
    static long accumulated(DType type, Reduction op, long[] elements, boolean[] partial) {
        long result = ready(type, op, elements[0], partial[0]);
        for (int i = 1; i < elements.length; i++) {
            long operand = ready(type, op, elements[i], partial[i]);
            result = switch (op) {
                case ReduceOp standard -> combined(type.accumulator(), standard, result, operand);
                case PreMulSum ignored -> combined(type.accumulator(), ReduceOp.SUM, result, operand);
                case CustomReduction custom -> custom(type.accumulator(), custom, result, operand);
            };
        }
        return result;
    }

    /** An operand in the accumulator, multiplied if it is to be and has not been yet. */
    private static long ready(DType type, Reduction op, long bits, boolean isPartial) {
        long wide = isPartial && type.accumulator() != type ? bits : widened(type, bits);
        if (isPartial || !(op instanceof PreMulSum sum)) {
            return wide;
        }
        return type == DType.FLOAT64
                ? Double.doubleToRawLongBits(Double.longBitsToDouble(wide) * sum.factor())
                : bitsOf(floatOf(wide) * (float) sum.factor());
    }

    private static long custom(DType type, CustomReduction op, long a, long b) {
        return switch (type) {
            case FLOAT32 -> bitsOf((float) op.onFloats().applyAsDouble(floatOf(a), floatOf(b)));
            case FLOAT64 ->
                Double.doubleToRawLongBits(
                        op.onFloats().applyAsDouble(Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
            case INT8 -> op.onIntegers().applyAsLong((byte) a, (byte) b) & 0xFFL;
            case INT32 -> op.onIntegers().applyAsLong((int) a, (int) b) & 0xFFFF_FFFFL;
            case UINT8 -> op.onIntegers().applyAsLong(a, b) & 0xFFL;
            case UINT32 -> op.onIntegers().applyAsLong(a, b) & 0xFFFF_FFFFL;
            default -> op.onIntegers().applyAsLong(a, b);
        };
    }

    /** The bits of the element that the accumulator ends in. */
    static long finished(DType type, Reduction op, long accumulated, int divisor) {
        long result = op == ReduceOp.AVG ? divided(type.accumulator(), accumulated, divisor) : accumulated;
        return switch (type) {
            case FLOAT16 -> Float.floatToFloat16(floatOf(result)) & 0xFFFFL;
            case BFLOAT16 -> nearestBFloat16(floatOf(result));
            default -> result;
        };
    }

    /** The bits with every NaN made the same one, because a NaN's payload is outside the contract. */
    static long canonical(DType type, long bits) {
        return switch (type) {
            case FLOAT32 -> Float.floatToIntBits(floatOf(bits)) & 0xFFFF_FFFFL;
            case FLOAT64 -> Double.doubleToLongBits(Double.longBitsToDouble(bits));
            case FLOAT16 -> (bits & 0x7FFF) > 0x7C00 ? 0x7E00 : bits;
            case BFLOAT16 -> (bits & 0x7FFF) > 0x7F80 ? 0x7FC0 : bits;
            default -> bits;
        };
    }

    private static long widened(DType type, long bits) {
        return switch (type) {
            case FLOAT16 -> bitsOf(Float.float16ToFloat((short) bits));
            case BFLOAT16 -> bits << 16;
            case BOOL -> bits == 0 ? 0 : 1;
            default -> bits;
        };
    }

    private static long combined(DType type, ReduceOp op, long a, long b) {
        return switch (type) {
            case FLOAT32 -> bitsOf(ofFloats(op, floatOf(a), floatOf(b)));
            case FLOAT64 ->
                Double.doubleToRawLongBits(ofDoubles(op, Double.longBitsToDouble(a), Double.longBitsToDouble(b)));
            case INT8 -> ofLongs(op, (byte) a, (byte) b) & 0xFFL;
            case INT32 -> ofLongs(op, (int) a, (int) b) & 0xFFFF_FFFFL;
            case UINT8 -> ofLongs(op, a, b) & 0xFFL;
            case UINT32 -> ofLongs(op, a, b) & 0xFFFF_FFFFL;
            case UINT64 -> ofUnsignedLongs(op, a, b);
            default -> ofLongs(op, a, b);
        };
    }

    private static float ofFloats(ReduceOp op, float a, float b) {
        return switch (op) {
            case SUM, AVG -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            default -> throw new IllegalArgumentException(op.label());
        };
    }

    private static double ofDoubles(ReduceOp op, double a, double b) {
        return switch (op) {
            case SUM, AVG -> a + b;
            case PRODUCT -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            default -> throw new IllegalArgumentException(op.label());
        };
    }

    private static long ofLongs(ReduceOp op, long a, long b) {
        return switch (op) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case MIN -> a < b ? a : b;
            case MAX -> a > b ? a : b;
            case BAND -> a & b;
            case BOR -> a | b;
            case BXOR -> a ^ b;
            case AVG -> throw new IllegalArgumentException(op.label());
        };
    }

    private static long ofUnsignedLongs(ReduceOp op, long a, long b) {
        return switch (op) {
            case MIN -> Long.compareUnsigned(a, b) < 0 ? a : b;
            case MAX -> Long.compareUnsigned(a, b) > 0 ? a : b;
            default -> ofLongs(op, a, b);
        };
    }

    private static long divided(DType type, long bits, int divisor) {
        return type == DType.FLOAT32
                ? bitsOf(floatOf(bits) / divisor)
                : Double.doubleToRawLongBits(Double.longBitsToDouble(bits) / divisor);
    }

    /** The nearer neighbour, the even one of a tie; the subtractions are exact in double. */
    private static long nearestBFloat16(float value) {
        long below = bitsOf(value) >>> 16;
        if (Float.isNaN(value)) {
            return 0x7FC0;
        }
        if (Float.isInfinite(value)) {
            return below;
        }
        double magnitude = Math.abs((double) value);
        double low = Math.abs((double) floatOf(below << 16));
        double high = Math.abs((double) floatOf((below + 1) << 16));
        if (Double.isInfinite(high)) {
            high = 0x1p128;
        }
        int order = Double.compare(magnitude - low, high - magnitude);
        return order < 0 || (order == 0 && (below & 1) == 0) ? below : below + 1;
    }

    private static float floatOf(long bits) {
        return Float.intBitsToFloat((int) bits);
    }

    private static long bitsOf(float value) {
        return Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
    }
}
