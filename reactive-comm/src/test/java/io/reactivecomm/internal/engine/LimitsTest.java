package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Bits;
import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.transfer.EngineLimits;
import org.junit.jupiter.api.Test;

class LimitsTest {

    /** Gather-and-fold folds after its sends, so its sends must not wait for folds: their bytes must travel with the announcement. */
    @Test
    void gatherFold_ofAnySize_isEager() {
        int eagerBytes = EngineLimits.DEFAULT.eagerBytes();
        Selection selection = Selection.DEFAULT.with("all-reduce=gather-fold").within(eagerBytes);
        for (int more = 0; more <= 1; more++) {
            Signature signature = new Signature(
                    Operation.ALL_REDUCE, DType.UINT8, eagerBytes + more, Signature.NO_ROOT, ReduceOp.SUM);
            assertThat(selection
                            .algorithm(signature, Layout.together(2), Bits.RANK_ORDER)
                            .name()
                            .equals("gather-fold"))
                    .isEqualTo(more == 0);
        }
    }

    @Test
    void limits_thatContradictEachOther_areRefused() {
        EngineLimits good = EngineLimits.DEFAULT;
        assertThatThrownBy(() -> limits(good.windowBytes() + 1, good.windowBytes() + 1, good.windowBytes()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("windowBytes");
        assertThatThrownBy(() -> limits(good.pieceBytes(), good.pieceBytes() - 1, good.windowBytes()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bulkBytes=" + (good.pieceBytes() - 1));
        assertThatThrownBy(() -> new EngineLimits.Openings(256, 2, 256, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("parked=256");
        assertThatThrownBy(() -> new EngineLimits.Openings(2, 1024, 1, 1024))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("parkedBytes=1024");
    }

    /** Limits as small as they can be, so that every bound is reached. */
    static EngineLimits tight() {
        return new EngineLimits(
                1024,
                1024,
                2048,
                8 << 10,
                16 << 10,
                2,
                4 << 20,
                new EngineLimits.Openings(4, 64 << 10, 3, 16 << 10),
                4,
                8,
                5_000_000_000L,
                100_000_000L);
    }

    private static EngineLimits limits(int pieceBytes, int bulkBytes, int windowBytes) {
        return new EngineLimits(
                pieceBytes,
                bulkBytes,
                windowBytes,
                8 << 10,
                64 << 20,
                4,
                4 << 20,
                EngineLimits.Openings.DEFAULT,
                512,
                1024,
                5_000_000_000L,
                100_000_000L);
    }
}
