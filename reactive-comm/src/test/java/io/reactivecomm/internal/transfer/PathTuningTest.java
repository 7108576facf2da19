package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.LinkTraits;
import org.junit.jupiter.api.Test;

class PathTuningTest {

    private static final EngineLimits LIMITS = EngineLimits.DEFAULT;

    @Test
    void link_thatWishesForNothing_hasWhatTheLimitsAllow() {
        PathTuning tuning = PathTuning.of(LinkTraits.USUAL, LIMITS);

        assertThat(tuning.pieceBytes()).isEqualTo(LIMITS.pieceBytes());
        assertThat(tuning.bulkBytes()).isEqualTo(LIMITS.pieceBytes());
        assertThat(tuning.eagerBytes()).isEqualTo(LIMITS.eagerBytes());
        assertThat(tuning.copiedBytes()).isEqualTo(LIMITS.eagerBytes());
        assertThat(tuning.copied()).isEqualTo(new PathTuning.Flow(LIMITS.windowBytes(), LIMITS.foldDepth(), 4));
        assertThat(tuning.movesInBulk()).isFalse();
    }

    @Test
    void traits_areTakenWithinTheLimits() {
        PathTuning little = PathTuning.of(new LinkTraits(1, Integer.MAX_VALUE, false), LIMITS);

        assertThat(little.copied().windowBytes()).isEqualTo(LIMITS.pieceBytes());
        assertThat(little.bulkBytes()).isEqualTo(LIMITS.bulkBytes());
        assertThat(little.movesInBulk()).isTrue();
    }

    @Test
    void linkThatLends_hasMoreUnderWay_andNotMoreInBulk() {
        PathTuning tuning = PathTuning.of(LinkTraits.USUAL.withinOneMemory(), LIMITS);

        assertThat(tuning.lent())
                .isEqualTo(new PathTuning.Flow(16L * LIMITS.windowBytes(), 16 * LIMITS.foldDepth(), 32));
        assertThat(tuning.bulkBytes()).isEqualTo(LIMITS.pieceBytes());
        assertThat(tuning.eagerBytes()).isEqualTo(LIMITS.eagerBytes());
        assertThat(tuning.copiedBytes()).isEqualTo(8 << 10);
    }

    @Test
    void window_thatFollowsTheWay_growsWithWhatIsAskedForAhead_andIsNeverLessThanUsual() {
        PathTuning tuning = PathTuning.of(LinkTraits.USUAL, LIMITS);

        assertThat(tuning.copiedWithin(LIMITS.windowBytes())).isEqualTo(tuning.copied());
        assertThat(tuning.copiedWithin(0)).isEqualTo(tuning.copied());
        assertThat(tuning.copiedWithin(5 << 20)).isEqualTo(new PathTuning.Flow(5 << 20, LIMITS.foldDepth(), 20));
        assertThat(tuning.copiedWithin(64 << 20))
                .isEqualTo(new PathTuning.Flow(64 << 20, LIMITS.foldDepth(), PathTuning.MOST_AHEAD));
    }

    @Test
    void linkThatKnowsItsWindow_keepsIt() {
        PathTuning within = PathTuning.of(new LinkTraits(LIMITS.windowBytes(), 0, false), LIMITS);
        PathTuning shared = PathTuning.of(LinkTraits.USUAL.withinOneMemory(), LIMITS);

        assertThat(within.copiedWithin(5 << 20)).isEqualTo(within.copied());
        assertThat(shared.copiedWithin(5 << 20)).isEqualTo(shared.copied());
    }
}
