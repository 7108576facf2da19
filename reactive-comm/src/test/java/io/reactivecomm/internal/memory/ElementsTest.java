package io.reactivecomm.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ElementsTest {

    private static final byte[] BYTES = {0, 1, 127, -128, -1};
    private static final int[] INTS = {0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1};

    /** Among them numbers that a second rounding would spoil: above a tie by less than the first rounding keeps. */
    private static final long[] LONGS = {
        0,
        1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -1,
        0x7FFF_FFBF_FFFF_FFFFL,
        0x4000_0040_0000_0001L,
        0x8000_0080_0000_0001L,
        0x8000_0000_0000_0401L,
        0xFFFF_FF7F_FFFF_FFFFL,
        0xFFFF_FFFF_FFFF_FBFFL
    };

    @Test
    void convert_int8_keepsSign() {
        try (Tensor tensor = Tensor.of(BYTES)) {
            assertThat(tensor.toFloatArray()).containsExactly(0, 1, 127, -128, -1);
            assertThat(tensor.toDoubleArray()).containsExactly(0, 1, 127, -128, -1);
            assertThat(tensor.toIntArray()).containsExactly(0, 1, 127, -128, -1);
            assertThat(tensor.toLongArray()).containsExactly(0, 1, 127, -128, -1);
            assertThat(tensor.toByteArray()).containsExactly(BYTES);
        }
    }

    @Test
    void convert_uint8_isNotNegative() {
        try (Tensor tensor = of(DType.UINT8, BYTES)) {
            assertThat(tensor.toFloatArray()).containsExactly(0, 1, 127, 128, 255);
            assertThat(tensor.toDoubleArray()).containsExactly(0, 1, 127, 128, 255);
            assertThat(tensor.toIntArray()).containsExactly(0, 1, 127, 128, 255);
            assertThat(tensor.toLongArray()).containsExactly(0, 1, 127, 128, 255);
            assertThat(tensor.toByteArray()).containsExactly(BYTES);
        }
    }

    @Test
    void convert_bool_isZeroOrOne() {
        try (Tensor tensor = of(DType.BOOL, BYTES)) {
            assertThat(tensor.toFloatArray()).containsExactly(0, 1, 1, 1, 1);
            assertThat(tensor.toDoubleArray()).containsExactly(0, 1, 1, 1, 1);
            assertThat(tensor.toIntArray()).containsExactly(0, 1, 1, 1, 1);
            assertThat(tensor.toLongArray()).containsExactly(0, 1, 1, 1, 1);
            assertThat(tensor.toByteArray()).containsExactly(BYTES);
        }
    }

    @Test
    void convert_int32AndUint32_differInSign() {
        try (Tensor signed = Tensor.of(INTS);
                Tensor unsigned = of(DType.UINT32, MemorySegment.ofArray(INTS), INTS.length)) {
            assertThat(signed.toIntArray()).containsExactly(INTS);
            assertThat(signed.toLongArray()).containsExactly(0, 1, 0x7FFF_FFFFL, -0x8000_0000L, -1);
            assertThat(signed.toFloatArray()).containsExactly(0, 1, 0x1p31f, -0x1p31f, -1);
            assertThat(signed.toDoubleArray()).containsExactly(0, 1, 0x7FFF_FFFFL, -0x1p31, -1);
            assertThat(unsigned.toIntArray()).containsExactly(INTS);
            assertThat(unsigned.toLongArray()).containsExactly(0, 1, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL);
            assertThat(unsigned.toFloatArray()).containsExactly(0, 1, 0x1p31f, 0x1p31f, 0x1p32f);
            assertThat(unsigned.toDoubleArray()).containsExactly(0, 1, 0x7FFF_FFFFL, 0x1p31, 0xFFFF_FFFFL);
        }
    }

    @Test
    void convert_int64AndUint64_roundOnce() {
        try (Tensor signed = Tensor.of(LONGS);
                Tensor unsigned = of(DType.UINT64, MemorySegment.ofArray(LONGS), LONGS.length)) {
            assertThat(signed.toLongArray()).containsExactly(LONGS);
            assertThat(unsigned.toLongArray()).containsExactly(LONGS);
            for (int i = 0; i < LONGS.length; i++) {
                BigDecimal exact = BigDecimal.valueOf(LONGS[i]);
                BigDecimal unsignedExact = new BigDecimal(new BigInteger(Long.toUnsignedString(LONGS[i])));
                assertThat(signed.toFloatArray()[i]).isEqualTo(exact.floatValue());
                assertThat(signed.toDoubleArray()[i]).isEqualTo(exact.doubleValue());
                assertThat(unsigned.toFloatArray()[i]).isEqualTo(unsignedExact.floatValue());
                assertThat(unsigned.toDoubleArray()[i]).isEqualTo(unsignedExact.doubleValue());
            }
        }
    }

    @Test
    void convert_float32AndFloat64_roundWhereTheyMust() {
        float[] floats = {0, -0f, 1.5f, Float.MIN_VALUE, Float.NEGATIVE_INFINITY, Float.NaN};
        double[] doubles = {0.1, 1e300, -0.0, Double.NaN};
        try (Tensor narrow = Tensor.of(floats);
                Tensor wide = Tensor.of(doubles)) {
            assertThat(narrow.toFloatArray()).containsExactly(floats);
            assertThat(narrow.toDoubleArray())
                    .containsExactly(0, -0.0, 1.5, Float.MIN_VALUE, Double.NEGATIVE_INFINITY, Double.NaN);
            assertThat(wide.toFloatArray()).containsExactly(0.1f, Float.POSITIVE_INFINITY, -0f, Float.NaN);
            assertThat(wide.toDoubleArray()).containsExactly(doubles);
        }
    }

    @Test
    void convert_halves_matchTheirValues() {
        short[] float16 = {0x3C00, (short) 0xC000, 0x7BFF, 1, 0x7C00};
        short[] bfloat16 = {0x3F80, (short) 0xC000, 0x7F7F, 1, 0x7F80};
        float infinity = Float.POSITIVE_INFINITY;
        try (Tensor half = of(DType.FLOAT16, MemorySegment.ofArray(float16), 5);
                Tensor brain = of(DType.BFLOAT16, MemorySegment.ofArray(bfloat16), 5)) {
            assertThat(half.toFloatArray()).containsExactly(1, -2, 65504, 0x1p-24f, infinity);
            assertThat(half.toDoubleArray()).containsExactly(1, -2, 65504, 0x1p-24, infinity);
            assertThat(brain.toFloatArray()).containsExactly(1, -2, 0x1.FEp127f, 0x1p-133f, infinity);
            assertThat(brain.toDoubleArray()).containsExactly(1, -2, 0x1.FEp127, 0x1p-133, infinity);
        }
    }

    @Test
    void convert_fp8_allBitsMatchDefinition() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        try (Tensor e4m3 = of(DType.FLOAT8_E4M3, all);
                Tensor e5m2 = of(DType.FLOAT8_E5M2, all)) {
            for (int i = 0; i < all.length; i++) {
                assertThat(Double.compare(e4m3.toDoubleArray()[i], e4m3(i)))
                        .as("E4M3 %02x", i)
                        .isZero();
                assertThat(Double.compare(e5m2.toDoubleArray()[i], e5m2(i)))
                        .as("E5M2 %02x", i)
                        .isZero();
            }
            assertThat(e4m3.toFloatArray()[0x7E]).isEqualTo(448);
            assertThat(e5m2.toFloatArray()[0x7B]).isEqualTo(57344);
            assertThat(e4m3.toByteArray()).containsExactly(all);
        }
    }

    private static double e4m3(int bits) {
        if ((bits & 0x7F) == 0x7F) {
            return Double.NaN;
        }
        return fp8(bits, (bits >> 3) & 0xF, (bits & 0x7) / 8.0, 7);
    }

    private static double e5m2(int bits) {
        int exponent = (bits >> 2) & 0x1F;
        if (exponent == 0x1F) {
            return (bits & 0x3) != 0 ? Double.NaN : bits < 0x80 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
        }
        return fp8(bits, exponent, (bits & 0x3) / 4.0, 15);
    }

    private static double fp8(int bits, int exponent, double fraction, int bias) {
        double significand = exponent == 0 ? fraction : 1 + fraction;
        return (bits < 0x80 ? 1.0 : -1.0) * significand * Math.pow(2, Math.max(exponent, 1) - bias);
    }

    @ParameterizedTest
    @EnumSource
    void convert_toUnfitArray_isRefused(DType type) {
        try (Tensor tensor = Tensor.allocate(type, 2)) {
            boolean isIntegral = type.isInteger() || type == DType.BOOL;
            if (!isIntegral || type.byteSize() == 8) {
                assertRefused(tensor, tensor::toIntArray);
            }
            if (!isIntegral) {
                assertRefused(tensor, tensor::toLongArray);
            }
            if (type.byteSize() != 1) {
                assertRefused(tensor, tensor::toByteArray);
            }
        }
    }

    private static void assertRefused(Tensor tensor, Runnable conversion) {
        assertThatIllegalStateException()
                .isThrownBy(conversion::run)
                .withMessageContainingAll("tensor=" + tensor, "; use");
    }

    private static Tensor of(DType type, byte[] values) {
        return of(type, MemorySegment.ofArray(values), values.length);
    }

    private static Tensor of(DType type, MemorySegment values, long count) {
        return HostTensor.copyOf(type, values, count);
    }
}
