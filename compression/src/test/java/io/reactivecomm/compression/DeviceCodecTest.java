package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Depth;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Codecs on a device beside those of the host, bit by bit. */
class DeviceCodecTest extends DeviceCodecCase {

    private static final int[] COUNTS = {0, 1, 7, 8, 9, 31, 255, 256, 257, 2047, 2048, 2049, 10_000};
    private static final int MOST_PARTS = 3;
    private static final double[] WEIGHTS = {1, 0.5, 1.0 / 3, -1};
    private static final int HEADER_BYTES = 8;

    static Stream<Arguments> codecsAndTypes() {
        return codecs().flatMap(codec -> TYPES.stream().map(type -> Arguments.of(codec, type)));
    }

    @ParameterizedTest
    @MethodSource("codecsAndTypes")
    void codec_everyCountAndPart_givesTheHostsBits(Codec codec, DType type) {
        SplittableRandom random = new SplittableRandom(codec.label().hashCode() + type.ordinal());
        for (int i = 0; i < COUNTS.length; i++) {
            int count = COUNTS[i];
            for (int parts = 1; parts <= MOST_PARTS; parts++) {
                // In the suite each type takes another ninth, so that a codec has a third of them.
                if (!Depth.isWhole() && (i + parts + type.ordinal() * MOST_PARTS) % (TYPES.size() * MOST_PARTS) != 0) {
                    continue;
                }
                String what = codec.label() + ", type=" + type + ", count=" + count + ", parts=" + parts;
                encode(codec, type, count / parts * parts, parts, random, what);
                Twin encoded = encodeWithError(codec, type, count, parts, random, what + ", with error");
                decode(codec, type, encoded, (count + parts - 1) / parts, parts, random, what);
                close();
            }
        }
    }

    private void encode(Codec codec, DType type, int count, int parts, SplittableRandom random, String what) {
        Twin values = twin(type, Numbers.random(random, type, count), random.nextInt(5));
        Twin encoded = twin(DType.UINT8, parts * codec.maxEncodedBytes(count / parts), random.nextInt(9))
                .sent();
        long[] lengths = new long[parts];
        long[] expected = new long[parts];
        codec.encode(values.host, parts, encoded.host, expected);
        there(codec).encode(values.gpu, parts, encoded.gpu, lengths);
        assertThat(lengths).as(what).isEqualTo(expected);
        assertEncoded(codec, parts, encoded, what);
    }

    private Twin encodeWithError(Codec codec, DType type, int count, int parts, SplittableRandom random, String what) {
        int padded = (count + parts - 1) / parts * parts;
        Twin values = twin(type, Numbers.random(random, type, count), random.nextInt(5));
        Twin before = twin(DType.FLOAT32, Numbers.random(random, DType.FLOAT32, padded), random.nextInt(5));
        Twin after = twin(DType.FLOAT32, padded, random.nextInt(5)).sent();
        Twin encoded = twin(DType.UINT8, parts * codec.maxEncodedBytes(padded / parts), random.nextInt(9))
                .sent();
        long[] lengths = new long[parts];
        long[] expected = new long[parts];
        codec.encodeWithError(values.host, before.host, after.host, parts, encoded.host, expected);
        there(codec).encodeWithError(values.gpu, before.gpu, after.gpu, parts, encoded.gpu, lengths);
        assertThat(lengths).as(what).isEqualTo(expected);
        if (assertEncoded(codec, parts, encoded, what)) {
            after.assertSame(what + ", after");
        } else {
            assertOneBitsError(values, before, after, parts, encoded, what);
        }
        values.assertSame(what + ", values");
        before.assertSame(what + ", before");
        return encoded;
    }

    /** Returns whether all is as it is on the host, which the scale of one-bit need not be. */
    private boolean assertEncoded(Codec codec, int parts, Twin encoded, String what) {
        if (!(codec instanceof OneBit) || encoded.host.count() == 0) {
            encoded.assertSame(what);
            return true;
        }
        Tensor found = encoded.received();
        long partBytes = found.count() / parts;
        float expected = (float) Double.longBitsToDouble(longAt(encoded.host, 0));
        float scale = (float) Double.longBitsToDouble(longAt(found, 0));
        int apart = Math.abs(Float.floatToIntBits(scale) - Float.floatToIntBits(expected));
        assertThat(apart).as("%s, scale=%s, expected=%s", what, scale, expected).isLessThanOrEqualTo(1);
        byte[] bytes = found.toByteArray();
        byte[] hostBytes = encoded.host.toByteArray();
        for (int part = 0; part < parts; part++) {
            int first = (int) (part * partBytes);
            assertThat(longAt(found, first)).as(what).isEqualTo(Double.doubleToLongBits(scale));
            assertThat(Arrays.copyOfRange(bytes, first + HEADER_BYTES, first + (int) partBytes))
                    .as(what)
                    .isEqualTo(Arrays.copyOfRange(hostBytes, first + HEADER_BYTES, first + (int) partBytes));
        }
        encoded.assertBesideUntouched(what);
        return Float.floatToIntBits(scale) == Float.floatToIntBits(expected);
    }

    /** What is lost by the scale that the device has found. */
    private void assertOneBitsError(Twin values, Twin before, Twin after, int parts, Twin encoded, String what) {
        Tensor found = encoded.received();
        long partBytes = found.count() / parts;
        int partCount = (int) (after.host.count() / parts);
        double[] numbers = Arrays.copyOf(doubles(values.host), (int) after.host.count());
        double[] lost = doubles(before.host);
        for (int part = 0; part < parts; part++) {
            try (Tensor decoded = Tensor.allocate(DType.FLOAT32, partCount)) {
                new OneBit().decode(found.slice(part * partBytes, partBytes), decoded);
                for (int i = 0; i < partCount; i++) {
                    int at = part * partCount + i;
                    lost[at] = (float) numbers[at] + (float) lost[at] - decoded.toFloatArray()[i];
                }
            }
        }
        Numbers.fill(after.host, lost);
        after.assertSame(what + ", after, by its own scale");
    }

    private void decode(
            Codec codec, DType type, Twin encoded, int count, int parts, SplittableRandom random, String what) {
        Twin bytes = encoded.sent();
        long partBytes = codec.maxEncodedBytes(count);
        for (int part = 0; part < parts; part++) {
            Tensor hostPart = bytes.host.slice(part * partBytes, partBytes);
            Tensor gpuPart = bytes.gpu.slice(part * partBytes, partBytes);
            Twin decoded = twin(type, count, random.nextInt(5)).sent();
            codec.decode(hostPart, decoded.host);
            there(codec).decode(gpuPart, decoded.gpu);
            decoded.assertSame(what + ", decode");

            double weight = WEIGHTS[random.nextInt(WEIGHTS.length)];
            Twin sum = twin(type, Numbers.random(random, type, count), random.nextInt(5));
            codec.decodeAndAdd(hostPart, weight, sum.host);
            there(codec).decodeAndAdd(gpuPart, weight, sum.gpu);
            sum.assertSame(what + ", decodeAndAdd, weight=" + weight);
        }
    }
}
