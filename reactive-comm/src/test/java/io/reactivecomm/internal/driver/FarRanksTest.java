package io.reactivecomm.internal.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Calls between ranks that are far from each other take as many round trips as they must, and then what the way gives; the time is virtual. */
class FarRanksTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** Gigabit Ethernet, without the headers of packets. */
    private static final double GIGABIT = 0.117;

    private static final int STEPS = 8;

    private static List<Tensor> tensors(int n, int bytes) {
        return Stream.generate(() -> Tensor.allocate(DType.INT32, bytes / Integer.BYTES)).limit(n).toList();
    }

    /** {@return the time of the last of some steps, each of which all-reduces so many tensors at once} */
    private static long lastStep(FarRanks ranks, int n, int bytes) {
        List<Tensor> here = tensors(n, bytes);
        List<Tensor> there = tensors(n, bytes);
        long last = 0;
        for (int i = 0; i < STEPS; i++) {
            last = ranks.allReduce(here, there);
        }
        here.forEach(Tensor::close);
        there.forEach(Tensor::close);
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
