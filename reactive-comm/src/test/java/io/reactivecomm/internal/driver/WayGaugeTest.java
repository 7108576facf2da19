package io.reactivecomm.internal.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The gauge of a way whose length and rate are known, in time that is the test's. */
class WayGaugeTest {

    private static final int PIECE = 256 << 10;
    private static final long USUAL = 1 << 20;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final WayGauge gauge = new WayGauge(USUAL, PIECE);
    /** Begins below 0, as {@link System#nanoTime} may. */
    private long now = -TimeUnit.DAYS.toNanos(1);

    private long nextGrant = 1;

    /** A piece on the way: asked for, and when its first and last bytes are here. */
    private record UnderWay(long grant, long begins, long ends) {}

    private final ArrayDeque<UnderWay> pieces = new ArrayDeque<>();
    private long freeAt = now;

    /** Asks for a piece over a way with that delay and rate. */
    private void ask(long delayNanos, double bytesPerNano, boolean isAhead) {
        long begins = Math.max(now + delayNanos, freeAt);
        freeAt = begins + (long) (PIECE / bytesPerNano);
        pieces.add(new UnderWay(nextGrant, begins, freeAt));
        gauge.asked(nextGrant++, PIECE, isAhead, now);
    }

    /** The next piece comes. */
    private void come() {
        UnderWay next = pieces.remove();
        gauge.began(next.grant, next.begins);
        now = next.ends;
        gauge.ended(next.grant, now);
    }

    /** A call of so many pieces, as many of them under way as the gauge says. */
    private void call(int count, long delayNanos, double bytesPerNano) {
        int asked = 0;
        for (int came = 0; came < count; came++) {
            while (asked < count && (pieces.size() + 1L) * PIECE <= gauge.windowBytes()) {
                ask(delayNanos, bytesPerNano, false);
                asked++;
            }
            come();
        }
    }

    /** {@return the bytes that a way holds} */
    private static long held(long delayNanos, double bytesPerNano) {
        return (long) (delayNanos * bytesPerNano);
    }

    @Test
    void unknownWay_hasTheUsualWindow() {
        assertThat(gauge.windowBytes()).isEqualTo(USUAL);
    }

    @Test
    void shortWay_keepsTheUsualWindow() {
        call(1000, MILLI / 10, 1.2);

        assertThat(gauge.windowBytes()).isEqualTo(USUAL);
    }

    @Test
    void longWay_isFull_andTheWindowHoldsTwiceOfIt() {
        double rate = 0.117;
        call(200, 20 * MILLI, rate);

        assertThat(gauge.windowBytes()).isBetween(2 * held(20 * MILLI, rate), 2 * held(20 * MILLI, rate) + PIECE);
    }

    /** A megabyte, then two, four and eight; with the last the way is full. */
    @Test
    void window_doublesEachRoundTrip() {
        long start = now;
        call(64, 20 * MILLI, 0.4);

        long alone = 20 * MILLI + 64L * (long) (PIECE / 0.4);
        assertThat(now - start).isLessThan(alone + 4 * 20 * MILLI);
    }

    @Test
    void rounds_ofWhatOneWindowHolds_fillTheWay() {
        double rate = 0.117;
        for (int i = 0; i < 20; i++) {
            call((int) Math.ceilDiv(gauge.windowBytes(), PIECE), 20 * MILLI, rate);
        }

        assertThat(gauge.windowBytes()).isGreaterThanOrEqualTo(held(20 * MILLI, rate));
    }

    @Test
    void loopThatIsHeldUp_doesNotPassForALongWay() {
        call(100, MILLI / 10, 1.2);
        for (int i = 0; i < 20; i++) {
            call(1, 50 * MILLI, 1.2);
            call(4, MILLI / 10, 1.2);
        }

        assertThat(gauge.windowBytes()).isEqualTo(USUAL);
    }

    /** All that came while a loop was held up is found at once: no high rate. */
    @Test
    void piecesFoundTogether_doNotPassForAHighRate() {
        double rate = 0.117;
        call(200, 20 * MILLI, rate);
        long before = gauge.windowBytes();
        int inWindow = (int) (before / PIECE);
        for (int i = 0; i < inWindow; i++) {
            ask(20 * MILLI, rate, false);
        }
        for (int stall = 0; stall < 5; stall++) {
            now += 100 * MILLI;
            for (int i = 0; i < inWindow; i++) {
                UnderWay next = pieces.remove();
                gauge.began(next.grant, now);
                gauge.ended(next.grant, now);
                ask(20 * MILLI, rate, false);
            }
        }

        assertThat(gauge.windowBytes()).isLessThanOrEqualTo(before);
    }

    /** A whole window always waits at the sender, which makes every delay but the first longer. */
    @Test
    void endlessCall_doesNotMakeItsOwnWayLonger() {
        double rate = 0.117;
        call(20_000, 20 * MILLI, rate);

        assertThat(gauge.windowBytes()).isBetween(2 * held(20 * MILLI, rate), 2 * held(20 * MILLI, rate) + PIECE);
    }

    @Test
    void wayThatBecomesLonger_isNoticedInPauses() {
        double rate = 0.117;
        call(200, 20 * MILLI, rate);
        for (int i = 0; i < 100; i++) {
            now += TimeUnit.SECONDS.toNanos(1);
            call(60, 60 * MILLI, rate);
        }

        assertThat(gauge.windowBytes()).isBetween(2 * held(60 * MILLI, rate), 2 * held(60 * MILLI, rate) + PIECE);
    }

    @Test
    void wayThatBecomesShorter_isNoticedAtOnce() {
        double rate = 0.117;
        call(200, 60 * MILLI, rate);
        call(20, 20 * MILLI, rate);

        assertThat(gauge.windowBytes()).isLessThanOrEqualTo(2 * held(20 * MILLI, rate) + PIECE);
    }

    @Test
    void wayThatGivesLess_isAskedForLess() {
        call(400, 20 * MILLI, 0.4);
        call(2000, 20 * MILLI, 0.117);

        assertThat(gauge.windowBytes()).isBetween(2 * held(20 * MILLI, 0.117), 2 * held(20 * MILLI, 0.117) + PIECE);
    }

    /** A program that wants little for long finds its window again. */
    @Test
    void callsOfFewPieces_shrinkNothing() {
        call(200, 20 * MILLI, 0.117);
        long before = gauge.windowBytes();
        for (int i = 0; i < 500; i++) {
            call(2, 20 * MILLI, 0.117);
        }

        assertThat(gauge.windowBytes()).isEqualTo(before);
    }

    /** What its sender has still to make is long in coming: that is no rate, and no way. */
    @Test
    void piecesAskedForAhead_shrinkNothing() {
        call(200, 20 * MILLI, 0.117);
        long before = gauge.windowBytes();
        for (int i = 0; i < 200; i++) {
            for (int each = 0; each < 8; each++) {
                ask(500 * MILLI, 0.117, true);
            }
            for (int each = 0; each < 8; each++) {
                come();
            }
        }

        assertThat(gauge.windowBytes()).isEqualTo(before);
    }

    @Test
    void pieceThatDoesNotCome_countsForNothing() {
        for (int i = 0; i < 100; i++) {
            gauge.asked(nextGrant, PIECE, false, now);
            gauge.withdrawn(nextGrant++);
        }
        call(200, 20 * MILLI, 0.117);

        assertThat(gauge.windowBytes()).isGreaterThanOrEqualTo(2 * held(20 * MILLI, 0.117));
    }

    @Test
    void pieceThatNobodyAskedFor_isLeftToTheEngine() {
        gauge.began(77, now);

        assertThat(gauge.ended(77, now)).isFalse();
        assertThat(gauge.windowBytes()).isEqualTo(USUAL);
    }
}
