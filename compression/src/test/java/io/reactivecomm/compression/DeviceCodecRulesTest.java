package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.Depth;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls that codecs on a device refuse, and bytes that no encoder has written. */
class DeviceCodecRulesTest extends DeviceCodecCase {

    private static final int INPUTS = Depth.isWhole() ? 1_000 : 40;
    private static final int MOST = 60;

    @Test
    void threshold_hasNoneOnADevice() {
        assertThat(Threshold.usual()
                        .on(memory.kernels().orElseThrow(), bytes -> memory.allocate(GPU, DType.UINT8, bytes)))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void codec_promisesWhatTheHostsDoes(Codec codec) {
        Codec there = there(codec);
        assertThat(there.label()).isEqualTo(codec.label());
        assertThat(there.fidelity()).isEqualTo(codec.fidelity());
        assertThat(there.errorBound()).isEqualTo(codec.errorBound());
        assertThat(there.bitsPerElement()).isEqualTo(codec.bitsPerElement());
        assertThat(there.maxEncodedBytes(1_000)).isEqualTo(codec.maxEncodedBytes(1_000));
        assertThat(there.isFixedLength()).isTrue();
        assertThat(there).hasToString(codec.label() + " on a device");
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void tensors_thatDoNotFit_areRefused(Codec codec) {
        Codec there = there(codec);
        int count = 16;
        Twin values = twin(DType.FLOAT32, count, 0).sent();
        Twin doubles = twin(DType.FLOAT64, count, 0).sent();
        Twin error = twin(DType.FLOAT32, count, 0).sent();
        Twin encoded = twin(DType.UINT8, codec.maxEncodedBytes(count), 0).sent();
        Tensor elsewhere = kept(memory.allocate(new Device(GPU.kind(), 1), DType.UINT8, encoded.gpu.count()));
        long[] lengths = new long[1];

        assertRefused("FLOAT64", () -> there.encode(doubles.gpu, 1, encoded.gpu, lengths));
        assertRefused("FLOAT64", () -> there.decode(encoded.gpu, doubles.gpu));
        assertRefused("the host", () -> there.encode(values.host, 1, encoded.host, lengths));
        assertRefused("one device", () -> there.encode(values.gpu, 1, elsewhere, lengths));
        assertRefused("one device", () -> there.decodeAndAdd(elsewhere, 1, values.gpu));
        assertRefused("parts=3", () -> there.encode(values.gpu, 3, encoded.gpu, lengths));
        assertRefused(
                "overlap", () -> there.encodeWithError(values.gpu, error.gpu, error.gpu, 1, encoded.gpu, lengths));
        Tensor uneven =
                values.gpu.view(DType.UINT8, 4 * count).slice(1, 4 * count - 4).view(DType.FLOAT32, count - 1);
        assertRefused("address=", () -> there.encode(uneven, 1, encoded.gpu, lengths));
        assertRefused("host's memory", () -> codec.encode(values.gpu, 1, encoded.gpu, lengths));
        assertThatExceptionOfType(DecodingException.class)
                .isThrownBy(() -> there.decode(encoded.gpu.slice(0, encoded.gpu.count() - 1), values.gpu));
    }

    private static void assertRefused(String text, Runnable call) {
        assertThatExceptionOfType(InvalidCallException.class)
                .isThrownBy(call::run)
                .withMessageContaining(text);
    }

    /** What a host refuses by its header or an index is a NaN; bits of no element are not looked at; and nothing beside the tensors is touched. */
    @ParameterizedTest
    @MethodSource("codecs")
    void hostileBytes_stayInside_andShow(Codec codec) {
        SplittableRandom random = new SplittableRandom(3);
        int refused = 0;
        for (int input = 0; input < INPUTS; input++) {
            DType type = TYPES.get(random.nextInt(TYPES.size()));
            int count = 1 + random.nextInt(MOST);
            Twin encoded = twin(DType.UINT8, codec.maxEncodedBytes(count), random.nextInt(9));
            fill(codec, encoded.host, count, random);
            encoded.sent();
            boolean adds = random.nextBoolean();
            Twin target = twin(type, adds ? Numbers.random(random, type, count) : new double[count], random.nextInt(5));
            String what = codec.label() + ", input=" + input + ", count=" + count + ", type=" + type + ", adds=" + adds;
            decode(there(codec), encoded.gpu, adds, target.gpu);
            if (isRefused(codec, encoded.host, adds, target.host)) {
                refused++;
                target.assertBesideUntouched(what);
                assertThat(target.received().toDoubleArray()).as(what).contains(Double.NaN);
            } else {
                target.assertSame(what);
            }
            close();
        }
        assertThat(refused).isBetween(INPUTS / 20, INPUTS - INPUTS / 20);
    }

    private static void decode(Codec codec, Tensor encoded, boolean adds, Tensor target) {
        if (adds) {
            codec.decodeAndAdd(encoded, 0.5, target);
        } else {
            codec.decode(encoded, target);
        }
    }

    private static boolean isRefused(Codec codec, Tensor encoded, boolean adds, Tensor target) {
        try {
            decode(codec, encoded, adds, target);
            return false;
        } catch (DecodingException e) {
            return true;
        }
    }

    /** An encoding with a few words that are changed; where bits belong to no element they stay zeros, since a host refuses them. */
    private static void fill(Codec codec, Tensor encoded, int count, SplittableRandom random) {
        try (Tensor values = Numbers.tensor(DType.FLOAT32, Numbers.random(random, DType.FLOAT32, count))) {
            codec.encode(values, 1, encoded, new long[1]);
        }
        long last = encoded.count() - 1;
        byte bits = encoded.segment().get(ValueLayout.JAVA_BYTE, last);
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            long at = random.nextLong(encoded.count() / 8) * 8
                    + (codec instanceof BlockQuantization blocks ? 0 : random.nextInt(2) * 4L);
            int word = new int[] {0, 1, -1, count, Integer.MIN_VALUE, 0x7F800000, 0xFF800000, random.nextInt()}
                    [random.nextInt(8)];
            if (at + 8 <= encoded.count()) {
                encoded.segment().set(ValueLayout.JAVA_INT_UNALIGNED, at + (codec instanceof TopK ? 0 : 4), word);
            }
        }
        if (!(codec instanceof TopK)) {
            encoded.segment().set(ValueLayout.JAVA_BYTE, last, bits);
        }
    }
}
