package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The loops on vectors beside those of the strip, whether they are compiled or not. */
class FloatVectorsTest {

    private static final int COUNT = Strip.LENGTH;
    private static final int SEEDS = 16;
    private static final double WEIGHT = -0.3;

    /** Magnitudes of a block that are not usual, the last one subnormal also as a product with the weight. */
    private static final double[] LARGEST = {
        0, Double.NaN, Float.MAX_VALUE, Float.MIN_NORMAL, 1e-44, Float.MIN_VALUE, 0x1p-64, 1
    };

    /** At addresses of no alignment. */
    private static final long OFFSET = 3;

    private final FloatStrip strip = new FloatStrip();
    private final MemorySegment values = memory();
    private final MemorySegment before = memory();
    private final MemorySegment lost = memory();
    private final MemorySegment bytes = memory();
    private final MemorySegment expectedLost = memory();
    private final MemorySegment expectedBytes = memory();

    private static MemorySegment memory() {
        return Arena.ofAuto().allocate(OFFSET + COUNT * 4L, 64).asSlice(OFFSET);
    }

    @BeforeAll
    static void haveVectors() {
        Assumptions.assumeTrue(Kernels.hasVectors() && FloatVectors.areWide(), "there are vectors of 8 or 16 floats");
    }

    private void load(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] x = Numbers.random(random, DType.FLOAT32, COUNT);
        double[] e = Numbers.random(random, DType.FLOAT32, COUNT);
        for (int i = 0; i < COUNT; i++) {
            values.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) x[i]);
            before.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) e[i]);
        }
        strip.read(DType.FLOAT32, values, 0, COUNT);
        strip.readOperand(DType.FLOAT32, before, 0, COUNT);
        strip.add(COUNT);
    }

    private void assertSame(MemorySegment actual, MemorySegment expected, int seed) {
        for (int i = 0; i < COUNT; i++) {
            float found = actual.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
            float wanted = expected.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
            if (Float.floatToIntBits(found) != Float.floatToIntBits(wanted)) {
                assertThat(found).as("seed=%d, element %d", seed, i).isEqualTo(wanted);
            }
        }
    }

    private void assertSameBytes(int length, int seed) {
        assertThat(bytes.asSlice(0, length).mismatch(expectedBytes.asSlice(0, length)))
                .as("seed=%d", seed)
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void squares(boolean packs) {
        for (int seed = 0; seed < SEEDS; seed++) {
            load(seed);
            double[] expected = new double[Norm.SUMS];
            double[] actual = new double[Norm.SUMS];
            for (int times = 0; times < 2; times++) {
                strip.addSquares(expected, COUNT);
                FloatVectors.addSquares(values.address(), before.address(), actual, packs ? bytes.address() : 0, COUNT);
            }
            assertThat(Arrays.toString(actual)).as("seed=%d", seed).isEqualTo(Arrays.toString(expected));
            if (packs) {
                strip.packSigns(COUNT);
                strip.writeBytes(expectedBytes, 0, COUNT / 8);
                assertSameBytes(COUNT / 8, seed);
            }
        }
    }

    @Test
    void signs() {
        for (int seed = 0; seed < SEEDS; seed++) {
            load(seed);
            strip.packSigns(COUNT);
            strip.writeBytes(expectedBytes, 0, COUNT / 8);
            strip.unpackSigns(1.25, 1, COUNT);
            strip.subtract(COUNT);
            strip.write(DType.FLOAT32, expectedLost, 0, COUNT);

            FloatVectors.packSigns(values.address(), before.address(), lost.address(), 1.25f, bytes.address(), COUNT);

            assertSameBytes(COUNT / 8, seed);
            assertSame(lost, expectedLost, seed);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void signsUnpacked(boolean adds) {
        for (int seed = 0; seed < SEEDS; seed++) {
            load(seed);
            strip.write(DType.FLOAT32, lost, 0, COUNT);
            new SplittableRandom(seed).nextBytes(strip.bytes);
            strip.writeBytes(bytes, 0, COUNT / 8);
            strip.unpackSigns(1.25, WEIGHT, COUNT);
            expect(adds);

            FloatVectors.unpackSigns(bytes.address(), 1.25f * (float) WEIGHT, adds, lost.address(), COUNT);

            assertSame(lost, expectedLost, seed);
        }
    }

    private void expect(boolean adds) {
        if (adds) {
            strip.add(COUNT);
            strip.write(DType.FLOAT32, expectedLost, 0, COUNT);
        } else {
            strip.writeOperand(DType.FLOAT32, expectedLost, 0, COUNT);
        }
    }

    @ParameterizedTest
    @CsvSource({"64, 127", "2048, 127", "64, 7", "256, 7", "2048, 7"})
    void quantized(int block, int levels) {
        int stride = Double.BYTES + (levels == BlockQuantization.BYTE_LEVELS ? block : block / 2);
        for (int seed = 0; seed < SEEDS; seed++) {
            load(seed);
            boolean[] isSpecial = new boolean[COUNT / block];
            for (int k = 0; k < isSpecial.length; k++) {
                double largest = strip.largestMagnitude(k * block, block);
                isSpecial[k] = !(largest >= FloatStrip.SMALL);
                if (!isSpecial[k]) {
                    strip.quantize(k * block, block, largest, levels);
                    LittleEndian.putDouble(expectedBytes, k * stride, largest);
                    strip.writeBytes(expectedBytes, k * stride + Double.BYTES, stride - Double.BYTES);
                    strip.dequantize(k * block, block, largest, 1, levels);
                }
            }
            strip.subtract(COUNT);
            strip.write(DType.FLOAT32, expectedLost, 0, COUNT);
            for (int k = 0; k < isSpecial.length; k++) {
                int next = k + (int) quantize(block, levels, k);
                for (; k < next; k++) {
                    assertThat(isSpecial[k]).as("seed=%d, block %d", seed, k).isFalse();
                }
                if (k < isSpecial.length) {
                    assertThat(isSpecial[k]).as("seed=%d, block %d", seed, k).isTrue();
                    MemorySegment.copy(expectedBytes, k * stride, bytes, k * stride, stride);
                    MemorySegment.copy(expectedLost, k * block * 4L, lost, k * block * 4L, block * 4L);
                }
            }
            assertSameBytes(isSpecial.length * stride, seed);
            assertSame(lost, expectedLost, seed);
        }
    }

    private long quantize(int block, int levels, int first) {
        long x = values.address() + first * block * 4L;
        long e = before.address() + first * block * 4L;
        long left = lost.address() + first * block * 4L;
        return levels == BlockQuantization.BYTE_LEVELS
                ? FloatVectors.quantizeToBytes(
                        x, e, left, bytes.address() + first * (8L + block), block, COUNT / block - first)
                : FloatVectors.quantizeToHalfBytes(
                        x, e, left, bytes.address() + first * (8L + block / 2), block, COUNT / block - first);
    }

    @ParameterizedTest
    @CsvSource({"false, 127", "true, 127", "false, 7", "true, 7"})
    void dequantized(boolean adds, int levels) {
        int block = COUNT / 8;
        int payload = levels == BlockQuantization.BYTE_LEVELS ? block : block / 2;
        for (int seed = 0; seed < SEEDS; seed++) {
            load(seed);
            strip.write(DType.FLOAT32, lost, 0, COUNT);
            for (int k = 0; k < 8; k++) {
                double largest = k == seed ? LARGEST[k] : 3.1f * (k + 1);
                LittleEndian.putDouble(bytes, k * (8L + payload), largest);
                new SplittableRandom(seed + k).nextBytes(strip.bytes);
                strip.writeBytes(bytes, k * (8L + payload) + 8, payload);
                strip.dequantize(k * block, block, largest, WEIGHT, levels);
            }
            expect(adds);

            dequantize(adds, levels, block);

            assertSame(lost, expectedLost, seed);
        }
    }

    private void dequantize(boolean adds, int levels, int block) {
        if (levels == BlockQuantization.BYTE_LEVELS) {
            FloatVectors.dequantizeBytes(bytes.address(), (float) WEIGHT, adds, lost.address(), block, COUNT / block);
        } else {
            FloatVectors.dequantizeHalfBytes(
                    bytes.address(), (float) WEIGHT, adds, lost.address(), block, COUNT / block);
        }
    }
}
