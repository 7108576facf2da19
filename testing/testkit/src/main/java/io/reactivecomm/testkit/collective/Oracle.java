package io.reactivecomm.testkit.collective;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.testkit.Inputs;
import java.lang.foreign.MemorySegment;

/**
 * The expected result of a reduction, bit by bit, computed one element after the other from the contract: a left fold in rank order with
 * one rounding a step. 16-bit floating point accumulates in binary32 and rounds once; AVG divides once, before that.
 */
public final class Oracle {

    private Oracle() {}

    /** {@return elements {@code 0} to {@code count} of the fold of what the ranks {@link Inputs contribute}} */
    public static byte[] folded(DType type, ReduceOp op, int salt, int ranks, long count) {
        byte[] result = new byte[Math.toIntExact(count * type.byteSize())];
        MemorySegment target = MemorySegment.ofArray(result);
        for (long from = 0; from < count; from += Inputs.BLOCK) {
            int some = (int) Math.min(Inputs.BLOCK, count - from);
            Inputs.pack(type, folded(type, op, salt, ranks, from, some), some, target, from);
        }
        return result;
    }

    private static long[] folded(DType type, ReduceOp op, int salt, int ranks, long from, int count) {
        long[][] given = new long[ranks][count];
        for (int rank = 0; rank < ranks; rank++) {
            Inputs.bits(type, salt, rank, from, count, given[rank]);
        }
        long[] folded = new long[count];
        long[] contributions = new long[ranks];
        for (int i = 0; i < count; i++) {
            for (int rank = 0; rank < ranks; rank++) {
                contributions[rank] = given[rank][i];
            }
            folded[i] = folded(type, op, contributions);
        }
        return folded;
    }

    /** {@return the bits of one element of the result} */
    public static long folded(DType type, ReduceOp op, long[] contributions) {
        return switch (type) {
            case FLOAT32 -> ofFloat(floats(type, op, contributions));
            case FLOAT16 -> Float.floatToFloat16(floats(type, op, contributions)) & 0xFFFFL;
            case BFLOAT16 -> nearestBFloat16(floats(type, op, contributions));
            case FLOAT64 -> doubles(op, contributions);
            case INT8 -> signed(op, contributions, 8);
            case INT32 -> signed(op, contributions, 32);
            case INT64 -> signed(op, contributions, 64);
            case UINT8 -> unsigned(op, contributions, 8);
            case UINT32 -> unsigned(op, contributions, 32);
            case UINT64 -> unsigned(op, contributions, 64);
            case BOOL -> booleans(op, contributions);
            case FLOAT8_E4M3, FLOAT8_E5M2 -> throw new IllegalArgumentException("not reduced: type=" + type);
        };
    }

    private static float floats(DType type, ReduceOp op, long[] contributions) {
        float sum = toFloat(type, contributions[0]);
        for (int i = 1; i < contributions.length; i++) {
            float next = toFloat(type, contributions[i]);
            sum = switch (op) {
                case SUM, AVG -> sum + next;
                case PRODUCT -> sum * next;
                case MIN -> Math.min(sum, next);
                case MAX -> Math.max(sum, next);
                case BAND, BOR, BXOR -> throw undefined(type, op);
            };
        }
        return op == ReduceOp.AVG ? sum / contributions.length : sum;
    }

    private static float toFloat(DType type, long bits) {
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat((short) bits);
            case BFLOAT16 -> Float.intBitsToFloat((int) bits << 16);
            default -> Float.intBitsToFloat((int) bits);
        };
    }

    private static long ofFloat(float value) {
        return Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
    }

    /** Ties to even, by comparing the value's distances to its two neighbours. */
    public static long nearestBFloat16(float value) {
        int below = Float.floatToRawIntBits(value) & 0xFFFF_0000;
        int rest = Float.floatToRawIntBits(value) & 0xFFFF;
        boolean up = rest > 0x8000 || (rest == 0x8000 && (below & 0x1_0000) != 0);
        return (below + (up ? 0x1_0000 : 0)) >>> 16;
    }

    private static long doubles(ReduceOp op, long[] contributions) {
        double sum = Double.longBitsToDouble(contributions[0]);
        for (int i = 1; i < contributions.length; i++) {
            double next = Double.longBitsToDouble(contributions[i]);
            sum = switch (op) {
                case SUM, AVG -> sum + next;
                case PRODUCT -> sum * next;
                case MIN -> Math.min(sum, next);
                case MAX -> Math.max(sum, next);
                case BAND, BOR, BXOR -> throw undefined(DType.FLOAT64, op);
            };
        }
        return Double.doubleToRawLongBits(op == ReduceOp.AVG ? sum / contributions.length : sum);
    }

    private static long signed(ReduceOp op, long[] contributions, int width) {
        long result = extended(contributions[0], width);
        for (int i = 1; i < contributions.length; i++) {
            long next = extended(contributions[i], width);
            result = switch (op) {
                case MIN -> Math.min(result, next);
                case MAX -> Math.max(result, next);
                case SUM, PRODUCT, AVG, BAND, BOR, BXOR -> extended(modular(op, result, next), width);
            };
        }
        return result & mask(width);
    }

    private static long unsigned(ReduceOp op, long[] contributions, int width) {
        long result = contributions[0];
        for (int i = 1; i < contributions.length; i++) {
            long next = contributions[i];
            result = switch (op) {
                case MIN -> Long.compareUnsigned(next, result) < 0 ? next : result;
                case MAX -> Long.compareUnsigned(next, result) > 0 ? next : result;
                case SUM, PRODUCT, AVG, BAND, BOR, BXOR -> modular(op, result, next) & mask(width);
            };
        }
        return result;
    }

    private static long modular(ReduceOp op, long a, long b) {
        return switch (op) {
            case SUM -> a + b;
            case PRODUCT -> a * b;
            case BAND -> a & b;
            case BOR -> a | b;
            case BXOR -> a ^ b;
            case MIN, MAX, AVG -> throw undefined(DType.INT64, op);
        };
    }

    private static long booleans(ReduceOp op, long[] contributions) {
        boolean result = contributions[0] != 0;
        for (int i = 1; i < contributions.length; i++) {
            boolean next = contributions[i] != 0;
            result = switch (op) {
                case MIN, BAND -> result && next;
                case MAX, BOR -> result || next;
                case BXOR -> result != next;
                case SUM, PRODUCT, AVG -> throw undefined(DType.BOOL, op);
            };
        }
        return result ? 1 : 0;
    }

    private static long extended(long bits, int width) {
        return bits << (64 - width) >> (64 - width);
    }

    private static long mask(int width) {
        return -1L >>> (64 - width);
    }

    private static IllegalArgumentException undefined(DType type, ReduceOp op) {
        return new IllegalArgumentException("no such reduction: type=" + type + ", op=" + op);
    }
}
