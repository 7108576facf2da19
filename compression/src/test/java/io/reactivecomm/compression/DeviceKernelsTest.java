package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.device.KernelLaunch;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Single kernels, with as much as only large tensors give them. */
class DeviceKernelsTest extends DeviceCodecCase {

    private static final int PARTS = 3;

    /** What is above a magnitude, and what is at it, in one number. */
    private static long tally(SplittableRandom random) {
        return random.nextInt(2048) | (long) random.nextInt(2048) << 32;
    }

    @Test
    void places_areTheSumsOfTalliesBefore_ofManyTiles() {
        for (int tiles : new int[] {1, 1023, 1024, 1025, 5000}) {
            SplittableRandom random = new SplittableRandom(tiles);
            Twin tallies = twin(DType.INT64, PARTS * tiles, 0);
            long[] before = new long[PARTS * tiles];
            for (int part = 0; part < PARTS; part++) {
                long sum = 0;
                for (int i = part * tiles; i < (part + 1) * tiles; i++) {
                    long tally = tally(random);
                    tallies.host.segment().setAtIndex(ValueLayout.JAVA_LONG, i, tally);
                    before[i] = sum;
                    sum += tally;
                }
            }
            tallies.sent();
            run(new KernelLaunch(
                    new CodecKernels("top_k").named("top_k_places"), PARTS, 1024, List.of(tallies.gpu, (long) tiles)));
            assertThat(tallies.received().toLongArray()).isEqualTo(before);
            close();
        }
    }

    @Test
    void scale_isThatOfAllSums_inEveryPart() {
        int sums = 1000;
        int parts = 300;
        int partBytes = 9;
        SplittableRandom random = new SplittableRandom(1);
        double[] numbers =
                random.doubles(sums).map(each -> Math.rint(each * 1e6)).toArray();
        Twin some = twin(DType.FLOAT64, numbers, 0);
        Twin encoded = twin(DType.UINT8, parts * partBytes, 3).sent();
        run(CodecKernels.launch(
                new CodecKernels("one_bit").named("one_bit_scale"),
                1,
                List.of(some.gpu, (long) sums, 49L, encoded.gpu, (long) parts, (long) partBytes)));

        double total = 0;
        for (double each : numbers) {
            // Integers: exact in any order.
            total += each;
        }
        for (int part = 0; part < parts; part++) {
            encoded.host.segment().set(ValueLayout.JAVA_DOUBLE_UNALIGNED, part * partBytes, (float)
                    (Math.sqrt(total) / 7));
        }
        encoded.assertSame("scale");
    }

    private void run(KernelLaunch launch) {
        memory.kernels().orElseThrow().launch(List.of(launch));
    }
}
