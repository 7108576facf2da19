package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises of codecs beyond their bits: bounds, labels, what is refused, how a threshold adapts. */
class CodecRulesTest {

    private static final float NAN = Float.NaN;

    static Stream<Codec> codecs() {
        return CodecTest.codecs().stream();
    }

    private static float[] decoded(Codec codec, float... values) {
        try (Tensor tensor = Tensor.of(values);
                Tensor encoded = Tensor.allocate(DType.UINT8, codec.maxEncodedBytes(values.length));
                Tensor target = Tensor.allocate(DType.FLOAT32, values.length)) {
            long[] lengths = new long[1];
            codec.encode(tensor, 1, encoded, lengths);
            codec.decode(encoded.slice(0, lengths[0]), target);
            return target.toFloatArray();
        }
    }

    @Test
    void oneBit_specialValues() {
        assertThat(decoded(new OneBit(), 3, -0f, -4, 0)).containsExactly(2.5f, 2.5f, -2.5f, 2.5f);
        assertThat(decoded(new OneBit(), -7)).containsExactly(-7);
        assertThat(decoded(new OneBit(), 0, -0f)).containsExactly(0, 0);
        assertThat(decoded(new OneBit(), 1, NAN)).containsExactly(NAN, NAN);
        assertThat(decoded(new OneBit(), -1, Float.POSITIVE_INFINITY))
                .containsExactly(Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);
        assertThat(decoded(new OneBit(), Float.MIN_VALUE, -Float.MIN_VALUE))
                .containsExactly(Float.MIN_VALUE, -Float.MIN_VALUE);
    }

    /** Never an overflow. */
    @ParameterizedTest
    @MethodSource("codecs")
    void lengthsOfHugeParts_areRight_orRefused(Codec codec) {
        for (long count : new long[] {Integer.MAX_VALUE, 1L << 40, 1L << 59, 1L << 62, Long.MAX_VALUE}) {
            try {
                assertThat(BigInteger.valueOf(codec.maxEncodedBytes(count)))
                        .as("count=%d", count)
                        .isEqualTo(bytes(codec, BigInteger.valueOf(count)));
            } catch (InvalidCallException e) {
                assertThat(e).hasMessageContainingAll("count=" + count, "cut the tensor");
            }
        }
    }

    private static BigInteger bytes(Codec codec, BigInteger count) {
        BigInteger header = BigInteger.valueOf(Double.BYTES);
        return switch (codec) {
            case OneBit ignored -> header.add(quotientUp(count, 8));
            case BlockQuantization blocks ->
                header.multiply(quotientUp(count, blocks.block())).add(ofBlocks(blocks, count));
            case TopK topK ->
                new BigDecimal(topK.density())
                        .multiply(new BigDecimal(count))
                        .setScale(0, RoundingMode.HALF_EVEN)
                        .toBigInteger()
                        .multiply(header);
            default -> quotientUp(count, 4).add(BigInteger.valueOf(4 * Long.BYTES));
        };
    }

    /** Half a byte is filled up in each block. */
    private static BigInteger ofBlocks(BlockQuantization codec, BigInteger count) {
        BigInteger block = BigInteger.valueOf(codec.block());
        long inByte = 8 / codec.bits();
        return count.divide(block).multiply(quotientUp(block, inByte)).add(quotientUp(count.mod(block), inByte));
    }

    private static BigInteger quotientUp(BigInteger number, long divisor) {
        return number.add(BigInteger.valueOf(divisor - 1)).divide(BigInteger.valueOf(divisor));
    }

    @Test
    void thresholdWithoutAnAdaptation_isRefused() {
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> new Threshold(1, null))
                .withMessageContaining("give one");
    }

    @Test
    void blockQuantization_specialValues() {
        BlockQuantization int8 = new BlockQuantization(8, 2);

        assertThat(decoded(int8, -127, 126, 127, -1)).containsExactly(-127, 126, 127, -1);
        assertThat(decoded(int8, NAN, 1, 2, -2)).containsExactly(NAN, NAN, 2, -2);
        assertThat(decoded(int8, 1, Float.NEGATIVE_INFINITY)).containsExactly(NAN, NAN);
        assertThat(decoded(int8, -0f, 0f)).containsExactly(0, 0);
        assertThat(decoded(int8, -Float.MIN_VALUE)).containsExactly(-Float.MIN_VALUE);
        assertThat(decoded(new BlockQuantization(4, 3), -7, 5, 2, 8)).containsExactly(-7, 5, 2, 8);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 4})
    void blockQuantization_losesHalfAStepAtMost_andNothingAtBothEnds(int bits) {
        BlockQuantization codec = new BlockQuantization(bits, BlockQuantization.MOST_IN_BLOCK);
        int levels = bits == 8 ? 127 : 7;
        for (float largest : new float[] {1, 0.3f, Float.MAX_VALUE, 1e-30f}) {
            float[] values = new float[2001];
            for (int i = 0; i < values.length; i++) {
                values[i] = largest * ((i - 1000) / 1000f);
            }
            values[0] = -largest;
            values[2000] = largest;
            float[] decoded = decoded(codec, values);
            assertThat(decoded[0]).isEqualTo(-largest);
            assertThat(decoded[2000]).isEqualTo(largest);
            for (int i = 0; i < values.length; i++) {
                double lost = Math.abs((double) values[i] - decoded[i]) / largest;
                assertThat(lost)
                        .as("largest=%s, value=%s", largest, values[i])
                        .isLessThanOrEqualTo(0.5 / levels + 1e-6);
            }
        }
    }

    @Test
    void topK_specialValues() {
        assertThat(decoded(new TopK(0.5), 1, -2, 2, -1)).containsExactly(0, -2, 2, 0);
        assertThat(decoded(new TopK(0.5), 1, 1, -1, 1)).containsExactly(1, 1, 0, 0);
        assertThat(decoded(new TopK(0.25), Float.POSITIVE_INFINITY, NAN, 1, 1)).containsExactly(0, NAN, 0, 0);
        assertThat(decoded(new TopK(0.01), 5, -6)).containsExactly(0, -6);
        assertThat(decoded(new TopK(1), -0f, 1)).containsExactly(-0f, 1);
    }

    @Test
    void threshold_specialValues() {
        Threshold threshold = new Threshold(0.5, Threshold.Adaptation.USUAL);

        assertThat(decoded(threshold, 0.5f, -3, 0.49f, -0f)).containsExactly(0.5f, -0.5f, 0, 0);
        assertThat(decoded(threshold, 1, NAN)).containsExactly(NAN, NAN);
        assertThat(decoded(threshold, Float.NEGATIVE_INFINITY)).containsExactly(NAN);
    }

    @Test
    void threshold_adaptsToTheShareOfTheWholeTensor() {
        Threshold threshold = new Threshold(1, new Threshold.Adaptation(0.25, 0.5, 0.5));

        assertThat(adapted(threshold, 2, 0, 0, 0).tau()).isEqualTo(1);
        assertThat(adapted(threshold, 0, 0, 0, 0).tau()).isEqualTo(0.5);
        assertThat(adapted(threshold, 2, 2, -2, 0).tau()).isEqualTo(2);
        assertThat(adapted(threshold, 2, 2, NAN, 0)).isEqualTo(threshold);
        assertThat(adapted(threshold)).isEqualTo(threshold);
        assertThat(adapted(threshold, 0, 0, 0, 0).label()).isEqualTo(threshold.label());
    }

    /** In two parts, of which the second is asked. */
    private static Threshold adapted(Threshold threshold, float... values) {
        long stride = threshold.maxEncodedBytes(values.length / 2);
        try (Tensor tensor = Tensor.of(values);
                Tensor encoded = Tensor.allocate(DType.UINT8, 2 * stride)) {
            long[] lengths = new long[2];
            threshold.encode(tensor, 2, encoded, lengths);
            return threshold.after(encoded.slice(stride, lengths[1]));
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void bound_holdsForFiniteNumbers(Codec codec) {
        if (codec.fidelity() != Fidelity.BOUNDED) {
            assertThat(codec.errorBound()).isEqualTo(Double.POSITIVE_INFINITY);
            return;
        }
        int block = ((BlockQuantization) codec).block();
        for (int seed = 0; seed < 300; seed++) {
            double[] numbers = Numbers.random(new SplittableRandom(seed), DType.FLOAT32, 1 + seed);
            float[] values = new float[numbers.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = Double.isFinite(numbers[i]) ? (float) numbers[i] : 1;
            }
            float[] decoded = decoded(codec, values);
            for (int i = 0; i < values.length; i++) {
                double largest = 0;
                for (int j = i / block * block; j < Math.min(values.length, (i / block + 1) * block); j++) {
                    largest = Math.max(largest, Math.abs(values[j]));
                }
                // Half of the smallest float is what rounding may add where numbers are that small.
                assertThat(Math.abs((double) decoded[i] - values[i]))
                        .as("seed=%d, i=%d", seed, i)
                        .isLessThanOrEqualTo(codec.errorBound() * largest + Float.MIN_VALUE / 2.0);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void length_isThatOfTheBits(Codec codec) {
        long count = 1 << 20;

        assertThat(codec.maxEncodedBytes(0)).isZero();
        if (codec.isFixedLength()) {
            assertThat(codec.maxEncodedBytes(count) * 8.0 / count)
                    .isCloseTo(codec.bitsPerElement(), withinPercentage(1));
        }
    }

    @Test
    void labels_nameWhatRanksHaveInCommon() {
        assertThat(codecs().map(Codec::label).distinct()).hasSize((int) codecs().count());
        assertThat(BlockQuantization.int8().label()).isEqualTo("int8(block=2048)");
        assertThat(Threshold.usual().label()).isEqualTo("threshold(shares=1.0E-4..0.01, decay=0.966)");
    }

    @Test
    void parameters_outOfRange_areRefused() {
        for (double density : new double[] {0, -1, 1.01, Double.NaN}) {
            assertThatExceptionOfType(InvalidCallException.class)
                    .isThrownBy(() -> new TopK(density))
                    .withMessageContaining("density=" + density);
        }
        for (int block : new int[] {0, -1, 2049}) {
            assertThatExceptionOfType(InvalidCallException.class)
                    .isThrownBy(() -> new BlockQuantization(8, block))
                    .withMessageContaining("block=" + block);
        }
        assertThatExceptionOfType(InvalidCallException.class).isThrownBy(() -> new BlockQuantization(5, 8));
        for (double tau : new double[] {0, -1, 1e-46, 1e40, Double.NaN}) {
            assertThatExceptionOfType(InvalidCallException.class)
                    .isThrownBy(() -> new Threshold(tau, Threshold.Adaptation.USUAL));
        }
        assertThatExceptionOfType(InvalidCallException.class).isThrownBy(() -> new Threshold.Adaptation(0.2, 0.1, 0.5));
        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(() -> new TopK(0.1).maxEncodedBytes((1L << 31) + 1));
        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(() -> Threshold.usual().maxEncodedBytes((1L << 31) + 1));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void tensors_thatDoNotFit_areRefusedByName(Codec codec) {
        long stride = codec.maxEncodedBytes(3);
        try (Tensor values = Tensor.allocate(DType.FLOAT32, 6);
                Tensor error = Tensor.allocate(DType.FLOAT32, 6);
                Tensor after = Tensor.allocate(DType.FLOAT32, 6);
                Tensor shorter = Tensor.allocate(DType.FLOAT32, 5);
                Tensor doubles = Tensor.allocate(DType.FLOAT64, 6);
                Tensor integers = Tensor.allocate(DType.INT32, 6);
                Tensor encoded = Tensor.allocate(DType.UINT8, 2 * stride)) {
            long[] lengths = new long[2];

            refused(codec, "values=INT32", () -> codec.encode(integers, 2, encoded, lengths));
            refused(codec, "parts=4, count=6", () -> codec.encode(values, 4, encoded, lengths));
            refused(codec, "parts=0", () -> codec.encode(values, 0, encoded, lengths));
            refused(
                    codec,
                    "needed=" + 2 * stride,
                    () -> codec.encode(values, 2, encoded.slice(1, 2 * stride - 1), lengths));
            refused(codec, "lengths=1", () -> codec.encode(values, 2, encoded, new long[1]));
            refused(codec, "encoded=INT32", () -> codec.encode(values, 2, integers, lengths));
            refused(
                    codec,
                    "before=5 of FLOAT32",
                    () -> codec.encodeWithError(values, shorter, after, 2, encoded, lengths));
            refused(
                    codec,
                    "after=6 of FLOAT64",
                    () -> codec.encodeWithError(values, error, doubles, 2, encoded, lengths));
            refused(
                    codec,
                    "before and after overlap",
                    () -> codec.encodeWithError(values, error, error, 2, encoded, lengths));
            refused(
                    codec,
                    "values and after overlap",
                    () -> codec.encodeWithError(values, error, values, 2, encoded, lengths));
            refused(codec, "sum=INT32", () -> codec.decodeAndAdd(encoded, 1, integers));
            refused(codec, "encoded=FLOAT32", () -> codec.decode(error, values));
        }
    }

    private static void refused(Codec codec, String facts, Runnable call) {
        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(call::run)
                .withMessageContaining(codec.label())
                .withMessageContaining(facts);
    }
}
