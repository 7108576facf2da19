package io.reactivecomm.internal.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Tensor;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Calls between ranks that are far from each other take as many round trips as they must, and then what the way gives; the time is virtual. */
class FarRanksTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** Gigabit Ethernet, without the headers of packets. */
    private static final double GIGABIT = 0.117;

    private static final int STEPS = 8;

    private static List<List<Tensor>> buckets(int n, int... bytes) {
        Supplier<List<Tensor>> bucket = () -> IntStream.of(bytes)
                .mapToObj(each -> Tensor.of(new int[each / Integer.BYTES]))
                .toList();
        return Stream.generate(bucket).limit(n).toList();
    }

    /** {@return the time of the last of some steps, each of which all-reduces so many buckets at once, of tensors of that size} */
    private static long lastStep(FarRanks ranks, int n, int... bytes) {
        List<List<Tensor>> here = buckets(n, bytes);
        List<List<Tensor>> there = buckets(n, bytes);
        long last = 0;
        for (int i = 0; i < STEPS; i++) {
            last = ranks.allReduce(here, there);
        }
        return last;
    }

    /** An opening, a grant, the operands and the results each go one way once, however many buckets there are. */
    @Test
    void buckets_overAWayThatIsLongAndNarrowNowhere_takeFourOneWayTrips() {
        try (FarRanks ranks = new FarRanks(2 * MILLI, 1000)) {
            long step = lastStep(ranks, 20, 1 << 20);

            assertThat(step).isBetween(4 * 2 * MILLI, 5 * 2 * MILLI);
        }
    }

    /** Pieces that have to be unpacked are asked for ahead, too. */
    @Test
    void buckets_ofSmallTensors_takeAsMany() {
        try (FarRanks ranks = new FarRanks(2 * MILLI, 1000)) {
            long step = lastStep(ranks, 20, 500 << 10, 2 << 10, 128 << 10, 1 << 10, 32 << 10, 512);

            assertThat(step).isBetween(4 * 2 * MILLI, 5 * 2 * MILLI);
        }
    }

    @Test
    void largeCall_isNineTenthsAsFastAsTheWay() {
        int bytes = 64 << 20;
        try (FarRanks ranks = new FarRanks(10 * MILLI, GIGABIT)) {
            long step = lastStep(ranks, 1, bytes);

            long wire = (long) (bytes / GIGABIT) + 10 * MILLI;
            assertThat(step).isLessThan(wire * 10 / 9);
            assertThat(ranks.peakBytes()).isLessThan(8 << 20);
        }
    }

    @Test
    void shortWay_hasAsMuchUnderWayAsEver() {
        try (FarRanks ranks = new FarRanks(MILLI / 20, 1.2)) {
            lastStep(ranks, 4, 4 << 20);

            assertThat(ranks.peakBytes()).isEqualTo(EngineLimits.DEFAULT.windowBytes());
        }
    }
}
