package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Depth;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Decoders given bytes that no encoder has written: they refuse them by name, or read them as numbers, and touch nothing that is not theirs. */
class HostileBytesTest {

    private static final int MOST = 40;

    /** Inputs of a codec: ten million with {@code -Pthorough}, else some thousands. */
    private static final int INPUTS = Integer.getInteger("codecs.hostile", Depth.isWhole() ? 10_000_000 : 10_000);

    static Stream<Codec> codecs() {
        return Stream.of(
                new OneBit(),
                new BlockQuantization(8, 16),
                new BlockQuantization(8, 64),
                new BlockQuantization(4, 5),
                new BlockQuantization(4, 64),
                new TopK(0.3),
                new Threshold(0.5, new Threshold.Adaptation(0.01, 0.2, 0.5)));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void decoder_ofAnyBytes_refusesOrReadsThem(Codec codec) {
        int rows = Math.ceilDiv(INPUTS, HostileBytes.AT_ONCE);
        int threads = Math.min(rows, Runtime.getRuntime().availableProcessors());
        // On threads of their own, whose stacks are short: the traces of exceptions are much of the time.
        List<CompletableFuture<Integer>> counts = IntStream.range(0, threads)
                .mapToObj(thread -> CompletableFuture.supplyAsync(
                        () -> refused(codec, thread, threads), run -> new Thread(run).start()))
                .toList();
        int refused = counts.stream().mapToInt(CompletableFuture::join).sum();

        assertThat(refused).as("refused").isBetween(INPUTS / 100, INPUTS - INPUTS / 100);
    }

    private static int refused(Codec codec, int firstRow, int everyRow) {
        int refused = 0;
        try (HostileBytes hostile = new HostileBytes(codec)) {
            for (long row = firstRow; row * HostileBytes.AT_ONCE < INPUTS; row += everyRow) {
                refused += hostile.refused(
                        (int) row, (int) Math.min(HostileBytes.AT_ONCE, INPUTS - row * HostileBytes.AT_ONCE));
            }
        }
        return refused;
    }

    /** What is not cut is not refused either: the oracle's test reads it. */
    @ParameterizedTest
    @MethodSource("codecs")
    void part_ofEveryOtherLength_isRefused(Codec codec) {
        double[] numbers = Numbers.random(new SplittableRandom(2), DType.FLOAT32, MOST);
        try (Tensor values = Numbers.tensor(DType.FLOAT32, numbers);
                Tensor bytes = Tensor.allocate(DType.UINT8, 2 * codec.maxEncodedBytes(MOST))) {
            long[] lengths = new long[1];
            codec.encode(values, 1, bytes, lengths);
            for (long length = 0; length <= bytes.count(); length++) {
                Tensor part = bytes.slice(0, length);
                if (length != lengths[0]) {
                    assertThatExceptionOfType(DecodingException.class)
                            .as("length=%d", length)
                            .isThrownBy(() -> codec.decode(part, values));
                }
            }
        }
    }

    @Test
    void decodingException_isTheLibrarys_andSaysWhoAndWhere() {
        DecodingException refused = DecodingException.at("top-k(density=0.1)", "index=7, previous=7, count=9", 16);

        assertThat(refused)
                .isInstanceOf(CommException.class)
                .hasMessage("cannot decode: codec=top-k(density=0.1), index=7, previous=7, count=9,"
                        + " byteOffset=16; give the bytes of one part as the same codec has encoded it");
    }
}
