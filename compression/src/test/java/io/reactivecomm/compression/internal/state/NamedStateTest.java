package io.reactivecomm.compression.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamedStateTest {

    /** So large that no machine has it. */
    private static final long TOO_MANY = Long.MAX_VALUE / 16;

    @Test
    void memoryThatIsNotToBeHad_isAnError_andNothingElseIsKept() {
        StateShape shape = new StateShape(
                "codec",
                DType.FLOAT32,
                4,
                1,
                0,
                List.of(new StateShape.Kept(DType.FLOAT32, 4), new StateShape.Kept(DType.FLOAT64, TOO_MANY)));
        assertThatThrownBy(() -> new NamedState(shape, StateHome.HOST, true, 0, new double[0]))
                .isInstanceOfAny(RuntimeException.class, OutOfMemoryError.class);
    }

    @Test
    void stepThatFailedElsewhere_isTakenBack_onceOnly() {
        NamedState state = new NamedState(
                new StateShape("codec", DType.FLOAT32, 4, 1, 0, List.of(new StateShape.Kept(DType.FLOAT32, 4))),
                StateHome.HOST,
                true,
                0,
                new double[] {1});
        Generation first = state.latest();
        Generation second = state.next();
        state.wentWell(new double[] {2});
        assertThat(state.latest().kept()).isEqualTo(second.kept());
        assertThat(state.latest().step()).isEqualTo(1);
        assertThat(state.hasBefore()).isTrue();
        state.stepBack();
        assertThat(state.latest().kept()).isEqualTo(first.kept());
        assertThat(state.latest().step()).isZero();
        assertThat(state.latest().adapted()).containsExactly(1);
        assertThat(state.hasBefore()).isFalse();
        state.close();
    }

    /** A rank may be lost in the very step that went well here alone. */
    @Test
    void stateForOtherRanks_canGoBack_whereItCouldBefore() {
        List<StateShape.Kept> kept = List.of(new StateShape.Kept(DType.FLOAT32, 4));
        NamedState state = new NamedState(
                new StateShape("codec", DType.FLOAT32, 4, 3, 0, kept), StateHome.HOST, true, 0, new double[] {1});
        state.next();
        state.wentWell(new double[] {2});
        NamedState moved = state.movedTo(new StateShape("codec", DType.FLOAT32, 4, 2, 0, kept), StateHome.HOST);
        assertThat(moved.latest().step()).isEqualTo(1);
        assertThat(moved.hasBefore()).isTrue();
        assertThat(moved.hasGoneWell()).isFalse();
        moved.stepBack();
        assertThat(moved.latest().step()).isZero();
        assertThat(moved.latest().adapted()).containsExactly(1);
        state.close();
        moved.close();
    }
}
