package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Depth;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** All codecs beside the {@link Oracle}, bit by bit. */
class CodecTest {

    static final List<DType> TYPES = List.of(DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64);

    private static final int[] LARGE = {2047, 2048, 2049, 10_007};
    private static final int MOST_PARTS = 5;

    /** Random tensors of a codec and a type; a million and more with {@code -Pthorough}. */
    private static final int RANDOM = Depth.count("codecs.tensors", 25_500) / (Depth.isWhole() ? 1 : 10);

    private final TestMemory memory = new TestMemory();

    static List<Codec> codecs() {
        return List.of(
                new OneBit(),
                BlockQuantization.int8(),
                new BlockQuantization(8, 7),
                BlockQuantization.int4(),
                new BlockQuantization(4, 5),
                new TopK(0.01),
                new TopK(0.3),
                new TopK(1),
                Threshold.usual(),
                new Threshold(0.5, new Threshold.Adaptation(0.01, 0.2, 0.5)));
    }

    static Stream<Arguments> codecsAndTypes() {
        return codecs().stream().flatMap(codec -> TYPES.stream().map(type -> Arguments.of(codec, type)));
    }

    @ParameterizedTest
    @MethodSource("codecsAndTypes")
    void codec_everyCountAndPart_matchesOracle(Codec codec, DType type) {
        SplittableRandom random = new SplittableRandom(codec.label().hashCode());
        int[] counts = IntStream.concat(IntStream.rangeClosed(0, 70), Arrays.stream(LARGE))
                .toArray();
        for (int count : counts) {
            for (int parts = 1; parts <= MOST_PARTS; parts++) {
                check(codec, type, count, parts, random, "count=" + count + ", parts=" + parts);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("codecsAndTypes")
    void codec_randomTensors_matchOracle(Codec codec, DType type) {
        for (int seed = 0; seed < RANDOM; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int count = random.nextInt(random.nextInt(8) == 0 ? 300 : 40);
            check(codec, type, count, 1 + random.nextInt(MOST_PARTS), random, "seed=" + seed);
        }
    }

    private void check(Codec codec, DType type, int count, int parts, SplittableRandom random, String what) {
        Oracle oracle = new Oracle(codec, type == DType.FLOAT64);
        int padded = (count + parts - 1) / parts * parts;
        double[] values = Numbers.random(random, type, count);
        double[] before = Numbers.random(random, type.accumulator(), padded);
        double[] whole = Arrays.copyOf(values, padded);
        memory.reuse();
        Tensor some = memory.tensor(type, values);
        Tensor all = memory.tensor(type, whole);
        Tensor error = memory.tensor(type.accumulator(), before);
        Tensor after = memory.tensor(type.accumulator(), padded);
        Tensor encoded = memory.tensor(DType.UINT8, parts * codec.maxEncodedBytes(padded / parts));
        long[] lengths = new long[parts];

        codec.encode(all, parts, encoded, lengths);
        assertEncoded(codec, oracle.encode(whole, parts), encoded, lengths, what + ", encode");

        codec.encodeWithError(some, error, after, parts, encoded, lengths);
        Oracle.Encoding expected = oracle.encode(values, before, parts);
        assertEncoded(codec, expected, encoded, lengths, what + ", encodeWithError");
        Numbers.assertSame(after, expected.lost(), what + ", after");
        Numbers.assertSame(error, before, what + ", before");

        assertDecoded(codec, type, oracle, expected, encoded, lengths, random, what);
    }

    private static void assertEncoded(
            Codec codec, Oracle.Encoding expected, Tensor encoded, long[] lengths, String what) {
        byte[] bytes = encoded.toByteArray();
        int stride = bytes.length / lengths.length;
        for (int p = 0; p < lengths.length; p++) {
            byte[] part = Arrays.copyOfRange(bytes, p * stride, p * stride + (int) lengths[p]);
            if (!Arrays.equals(part, expected.parts()[p])) {
                assertThat(part).as("%s, part %d", what, p).isEqualTo(expected.parts()[p]);
            }
            if (codec.isFixedLength() && lengths[p] != stride) {
                assertThat(lengths[p]).as("%s, part %d", what, p).isEqualTo(stride);
            }
        }
    }

    private void assertDecoded(
            Codec codec,
            DType type,
            Oracle oracle,
            Oracle.Encoding encoding,
            Tensor encoded,
            long[] lengths,
            SplittableRandom random,
            String what) {
        int parts = lengths.length;
        int count = encoding.numbers().length / parts;
        long stride = encoded.count() / parts;
        double weight = new double[] {1, -1, 0.25, 1.0 / 3}[random.nextInt(4)];
        for (int p = 0; p < parts; p++) {
            double[] sums = Numbers.random(random, type, count);
            Tensor decoded = memory.tensor(type, count);
            Tensor sum = memory.tensor(type, sums);
            Tensor part = encoded.slice(p * stride, lengths[p]);
            codec.decode(part, decoded);
            Numbers.assertSame(decoded, oracle.decode(encoding.parts()[p], count, 1), what + ", decode");

            codec.decodeAndAdd(part, weight, sum);
            double[] added = oracle.decode(encoding.parts()[p], count, weight);
            for (int i = 0; i < count; i++) {
                // Of sparse codecs what was not sent is not touched, so -0 stays.
                boolean isUntouched = codec instanceof TopK && added[i] == 0 && sums[i] == 0;
                added[i] = isUntouched ? sums[i] : oracle.sum(sums[i], added[i]);
            }
            Numbers.assertSame(sum, added, what + ", decodeAndAdd, weight=" + weight);
        }
    }
}
