package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Depth;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Decoders given bytes that no encoder has written: they refuse them by name, or read them as numbers, and touch nothing that is not theirs. */
class HostileBytesTest {

    private static final int MOST = 40;

    /** Guards before and behind the target. */
    private static final int GUARD = 8;

    private static final double UNTOUCHED = 7.25;

    /** Inputs of a codec: ten million with {@code -Pthorough}, else some thousands. */
    private static final int INPUTS = Integer.getInteger("codecs.hostile", Depth.isWhole() ? 10_000_000 : 10_000);

    static Stream<Codec> codecs() {
        return Stream.of(
                new OneBit(), new BlockQuantization(8, 16), new BlockQuantization(4, 5), new TopK(0.3),
                new Threshold(0.5, new Threshold.Adaptation(0.01, 0.2, 0.5)));
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void decoder_ofAnyBytes_refusesOrReadsThem(Codec codec) {
        // On a thread of its own, whose stack is short: what most inputs take is the traces of their exceptions.
        int refused = CompletableFuture.supplyAsync(() -> refused(codec)).join();

        assertThat(refused).as("refused").isBetween(INPUTS / 100, INPUTS - INPUTS / 100);
    }

    private static int refused(Codec codec) {
        int refused = 0;
        try (Tensor memory = Tensor.allocate(DType.FLOAT32, MOST + 2 * GUARD);
                Tensor bytes = Tensor.allocate(DType.UINT8, 4 * codec.maxEncodedBytes(MOST) + 64)) {
            for (int seed = 0; seed < INPUTS; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                int count = random.nextInt(MOST + 1);
                Tensor part = bytes.slice(random.nextInt(16), input(codec, count, bytes, random));
                if (isRefused(codec, part, memory, count, random.nextBoolean(), seed)) {
                    refused++;
                }
            }
        }
        return refused;
    }

    /** {@return the length of bytes that are random, or an encoding of which some are changed, or which is cut or too long} */
    private static long input(Codec codec, int count, Tensor bytes, SplittableRandom random) {
        long most = codec.maxEncodedBytes(count);
        long length = most;
        if (random.nextBoolean()) {
            byte[] noise = new byte[(int) bytes.count()];
            random.nextBytes(noise);
            bytes.segment().copyFrom(MemorySegment.ofArray(noise));
        } else {
            try (Tensor values = Numbers.tensor(DType.FLOAT32, Numbers.random(random, DType.FLOAT32, count))) {
                long[] lengths = new long[1];
                codec.encode(values, 1, bytes, lengths);
                length = lengths[0];
            }
            for (int changes = random.nextInt(3); changes > 0 && length > 0; changes--) {
                bytes.segment().set(ValueLayout.JAVA_BYTE, random.nextLong(length), (byte) random.nextInt());
            }
        }
        return random.nextInt(3) == 0 ? random.nextLong(most + 40) : length;
    }

    private static boolean isRefused(Codec codec, Tensor part, Tensor memory, int count, boolean adds, int seed) {
        double[] before = new double[MOST + 2 * GUARD];
        Arrays.fill(before, UNTOUCHED);
        Numbers.fill(memory, before);
        Tensor target = memory.slice(GUARD, count);
        boolean isRefused = false;
        try {
            if (adds) {
                codec.decodeAndAdd(part, 1, target);
            } else {
                codec.decode(part, target);
            }
            codec.after(part);
        } catch (DecodingException e) {
            isRefused = true;
            if (!e.getMessage().contains(codec.label()) || !e.getMessage().contains("byteOffset=")) {
                assertThat(e).as("seed=%d", seed).hasMessageContaining(codec.label()).hasMessageContaining("byteOffset=");
            }
        }
        double[] found = memory.toDoubleArray();
        for (int i = 0; i < found.length; i++) {
            boolean mayBeWritten = !isRefused && i >= GUARD && i < GUARD + count;
            if (!mayBeWritten && found[i] != UNTOUCHED) {
                assertThat(found[i]).as("seed=%d, element %d of count=%d", seed, i - GUARD, count).isEqualTo(UNTOUCHED);
            }
        }
        return isRefused;
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
                    assertThatExceptionOfType(DecodingException.class).as("length=%d", length).isThrownBy(() -> codec.decode(part, values));
                }
            }
        }
    }

    @Test
    void decodingException_isTheLibrarys_andSaysWhoAndWhere() {
        DecodingException refused = DecodingException.at("top-k(density=0.1)", "index=7, previous=7, count=9", 16);

        assertThat(refused).isInstanceOf(CommException.class).hasMessage("cannot decode: codec=top-k(density=0.1), index=7, previous=7, count=9,"
                + " byteOffset=16; give the bytes of one part as the same codec has encoded it");
    }
}
