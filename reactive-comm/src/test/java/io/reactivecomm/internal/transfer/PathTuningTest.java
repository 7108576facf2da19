package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.LinkTraits;
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
        assertThat(tuning.copied()).isEqualTo(new PathTuning.Flow(LIMITS.windowBytes(), LIMITS.foldDepth(), 2));
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

        assertThat(tuning.lent()).isEqualTo(new PathTuning.Flow(16L * LIMITS.windowBytes(), 16 * LIMITS.foldDepth(), 32));
        assertThat(tuning.bulkBytes()).isEqualTo(LIMITS.pieceBytes());
        assertThat(tuning.eagerBytes()).isEqualTo(LIMITS.eagerBytes());
        assertThat(tuning.copiedBytes()).isEqualTo(8 << 10);
    }
}
