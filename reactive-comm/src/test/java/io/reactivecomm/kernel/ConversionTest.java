package io.reactivecomm.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.BFloat16;
import io.reactivecomm.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConversionTest {

    private static final List<DType> FLOATS = List.of(DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64);

    static List<Arguments> conversions() {
        List<Arguments> all = new ArrayList<>();
        for (DType from : FLOATS) {
            for (DType to : FLOATS) {
                for (double factor : new double[] {1, 0.1, 3}) {
                    all.add(Arguments.of(from, to, factor));
                }
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("conversions")
    void elements_ofAnyFloatingPointTypes_areThoseOfASequentialLoop(DType from, DType to, double factor) {
        SplittableRandom random = new SplittableRandom(from.ordinal() * 31L + to.ordinal());
        for (int count : new int[] {0, 1, 7, 2047, 2048, 5000}) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment source = arena.allocate((long) count * from.byteSize());
                MemorySegment target = from == to ? source : arena.allocate((long) count * to.byteSize());
                long[] expected = new long[count];
                for (int i = 0; i < count; i++) {
                    RawElements.set(source, from, i, RawElements.random(from, random));
                    expected[i] = expected(RawElements.get(source, from, i), from, to, factor);
                }
                Conversion.of(from, to, factor).convert(source, target, count);
                for (int i = 0; i < count; i++) {
                    long bits = RawElements.get(target, to, i);
                    boolean bothNaN = Double.isNaN(number(bits, to)) && Double.isNaN(number(expected[i], to));
                    assertThat(bothNaN || bits == expected[i])
                            .as("element %d of %d", i, count)
                            .isTrue();
                }
            }
        }
    }

    private static long expected(long bits, DType from, DType to, double factor) {
        double number = number(bits, from);
        boolean inDoubles = from == DType.FLOAT64 || to == DType.FLOAT64;
        double product = inDoubles ? number * factor : (float) number * (float) factor;
        return switch (to) {
            case FLOAT16 -> Float.floatToFloat16((float) product) & 0xFFFFL;
            case BFLOAT16 -> BFloat16.fromFloat((float) product) & 0xFFFFL;
            case FLOAT32 -> Float.floatToRawIntBits((float) product) & 0xFFFF_FFFFL;
            default -> Double.doubleToRawLongBits(product);
        };
    }

    private static double number(long bits, DType type) {
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat((short) bits);
            case BFLOAT16 -> BFloat16.toFloat((short) bits);
            case FLOAT32 -> Float.intBitsToFloat((int) bits);
            default -> Double.longBitsToDouble(bits);
        };
    }

    @Test
    void otherTypes_areCopied_andNothingElse() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(24).fill((byte) 7);
            MemorySegment target = arena.allocate(24);
            Conversion.of(DType.INT64, DType.INT64, 1).convert(source, target, 2);
            assertThat(target.asSlice(0, 16).mismatch(source.asSlice(0, 16))).isEqualTo(-1);
            assertThat(target.get(java.lang.foreign.ValueLayout.JAVA_LONG, 16)).isZero();
        }
        assertThatThrownBy(() -> Conversion.of(DType.INT32, DType.FLOAT32, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Conversion.of(DType.INT32, DType.INT32, 2))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
