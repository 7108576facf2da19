package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.internal.memory.WorkMemory;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Scratch memory between calls. */
class ScratchTest {

    private static Scratch.Block taken(Scratch scratch, long bytes) {
        return Objects.requireNonNull(scratch.take(bytes));
    }

    @Test
    void block_isAtLeastThatLarge_andNoTwoCallsHaveOne() {
        Scratch scratch = new Scratch(WorkMemory.PROCESS, 1 << 20);
        for (long bytes : new long[] {1, 63, 64, 65, 1000, 4096, 4097}) {
            Scratch.Block one = taken(scratch, bytes);
            Scratch.Block two = taken(scratch, bytes);

            assertThat(one.memory().byteSize()).isBetween(bytes, Math.max(64, 2 * bytes));
            assertThat(one.memory().address()).isNotEqualTo(two.memory().address());
            one.giveBack();
            two.giveBack();
        }
        scratch.close();
    }

    @Test
    void block_givenBack_isTakenAgain_andBeyondTheBoundItIsFreed() {
        Scratch scratch = new Scratch(WorkMemory.PROCESS, 256);
        Scratch.Block kept = taken(scratch, 200);
        Scratch.Block beyond = taken(scratch, 200);
        kept.giveBack();
        beyond.giveBack();

        assertThat(kept.memory().scope().isAlive()).isTrue();
        assertThat(beyond.memory().scope().isAlive()).isFalse();
        assertThat(taken(scratch, 130)).isSameAs(kept);
        kept.giveBack();
        scratch.close();
        assertThat(kept.memory().scope().isAlive()).isFalse();
    }

    @Test
    void block_givenBackAfterTheEnd_isFreed_andThereIsNoOther() {
        Scratch scratch = new Scratch(WorkMemory.PROCESS, 1 << 20);
        Scratch.Block block = taken(scratch, 64);
        scratch.close();
        scratch.close();

        assertThat(block.memory().scope().isAlive()).isTrue();
        block.giveBack();
        assertThat(block.memory().scope().isAlive()).isFalse();
        assertThat(scratch.take(64)).isNull();
    }
}
