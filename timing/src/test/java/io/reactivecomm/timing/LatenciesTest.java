package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LatenciesTest {

    private static CommsSummary.Latency of(long... nanos) {
        Latencies latencies = new Latencies();
        Arrays.stream(nanos).forEach(latencies::add);
        return latencies.summary();
    }

    @Test
    void none_areAllZero() {
        assertThat(of()).isEqualTo(new CommsSummary.Latency(0, 0, 0, 0, 0, 0));
    }

    @Test
    void fewerThanTen_areNotTrimmed() {
        CommsSummary.Latency latency = of(1, 2, 3, 1_000_000);
        double perNano = (1 + 1 / 2.0 + 1 / 3.0 + 1e-6) / 4;
        assertThat(latency.trimmedMeanPerNano()).isCloseTo(perNano, within(1e-12));
        assertThat(latency)
                .isEqualTo(
                        new CommsSummary.Latency(4, 1_000_006, 1, 1_000_000, 250_001.5, latency.trimmedMeanPerNano()));
    }

    @Test
    void ten_loseOneAtEachEnd() {
        assertThat(of(1_000_000, 7, 7, 7, 7, 7, 7, 7, 7, 1).trimmedMeanNanos()).isEqualTo(7);
    }

    /** Nothing but the two buckets at the border may be off, by a sixteenth. */
    @Test
    void trimmedMean_isThatOfSortedValues() {
        long seed = 42;
        Random random = new Random(seed);
        for (int n : new int[] {1, 9, 10, 11, 99, 1000, 12_345}) {
            long[] nanos = random.doubles(n)
                    .mapToLong(value -> (long) (1000 * Math.pow(10, 6 * value)))
                    .toArray();
            long[] unsorted = nanos.clone();
            double got = of(nanos).trimmedMeanNanos();
            Arrays.sort(nanos);
            double expected = Arrays.stream(nanos, n / 10, n - n / 10).average().orElseThrow();
            double border = (nanos[n / 10] + nanos[n - 1 - n / 10]) / 16.0;
            assertThat(got).as("n=%d, seed=%d", n, seed).isCloseTo(expected, within(border));
            assertThat(got).as("n=%d, seed=%d", n, seed).isCloseTo(expected, within(expected * 0.01));
            double perNano = Arrays.stream(nanos, n / 10, n - n / 10)
                    .mapToDouble(each -> 1.0 / each)
                    .average()
                    .orElseThrow();
            assertThat(of(unsorted).trimmedMeanPerNano())
                    .as("n=%d, seed=%d", n, seed)
                    .isCloseTo(perNano, within(perNano * 0.01));
        }
    }

    @Test
    void buckets_ascend_andAreASixteenthWide() {
        int last = -1;
        for (long nanos = 0; nanos < 100_000; nanos++) {
            int bucket = Latencies.bucket(nanos);
            assertThat(bucket).isBetween(last, last + 1);
            last = bucket;
        }
        for (int power = 4; power < 41; power++) {
            long from = 1L << power;
            assertThat(Latencies.bucket(from - 1)).isEqualTo(Latencies.bucket(from) - 1);
            assertThat(Latencies.bucket(2 * from - 1)).isEqualTo(Latencies.bucket(from) + 15);
        }
    }

    @Test
    void hugeValue_isCounted() {
        assertThat(of(Long.MAX_VALUE).trimmedMeanNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(Latencies.bucket(Long.MAX_VALUE)).isEqualTo(Latencies.bucket((1L << 41) - 1));
    }
}
