package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.internal.memory.WorkMemory;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scratch is rounded up where calls of about one size may share it: a call that shares with nobody takes what it needs. */
class ScratchSizesTest {

    private static final long KEPT = 1 << 12;

    @ParameterizedTest
    @CsvSource({"1, 64", "65, 128", "4096, 4096", "4097, 4097", "100000, 100000"})
    void block_isRoundedUpOnlyWhereItMayBeKept(long bytes, long size) {
        Scratch scratch = new Scratch(WorkMemory.PROCESS, KEPT);
        Scratch.Block block = Objects.requireNonNull(scratch.take(bytes));

        assertThat(block.memory().byteSize()).isEqualTo(size);

        block.giveBack();
        assertThat(block.memory().scope().isAlive()).isEqualTo(size <= KEPT);
        scratch.close();
    }
}
