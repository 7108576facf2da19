package io.reactivecomm.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.internal.memory.WorkMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StagingTest {

    private static final long BUDGET = 64L << 20;

    /** Blocks that note that they were freed; every second one fails of it. */
    private final List<Integer> freed = new ArrayList<>();

    private int taken;
    private long takenBytes;
    private long most = Long.MAX_VALUE;

    private final WorkMemory memory = bytes -> {
        if (bytes > most) {
            return null;
        }
        int number = taken++;
        takenBytes += bytes;
        MemorySegment segment = Arena.ofAuto().allocate(bytes, 64);
        return new WorkMemory.Block() {
            @Override
            public MemorySegment segment() {
                return segment;
            }

            @Override
            public void free() {
                freed.add(number);
                if (number % 2 == 0) {
                    throw new IllegalStateException("expected in this test's log");
                }
            }
        };
    };

    private final Staging staging = new Staging(memory, BUDGET);

    private MemorySegment[] reserved(int n, long bytes) {
        // Nobody asks for more than the budget here, so none is told to wait.
        MemorySegment[] memories = staging.reserve(n, bytes, null);
        assertThat(memories).hasSize(n);
        return memories;
    }

    @Test
    void manySmallMemories_areFewToFree_andNotMuchMoreThanIsUsed() {
        reserved(2_000, 32 << 10);
        assertThat(taken).isLessThan(30);
        assertThat(takenBytes).isLessThanOrEqualTo(BUDGET + (4 << 20));
        staging.close();
        assertThat(freed)
                .as("each once, whatever the others failed of")
                .doesNotHaveDuplicates()
                .hasSize(taken);
        staging.close();
        assertThat(freed).hasSize(taken);
    }

    @Test
    void firstMemory_isNoMoreThanWasAsked() {
        reserved(1, 8);
        assertThat(takenBytes).isEqualTo(64);
    }

    @Test
    void memories_areApart_alignedAndOfTheirSize() {
        List<MemorySegment> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(reserved(1, 64L << i % 7)[0]);
        }
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).byteSize()).isEqualTo(64L << i % 7);
            assertThat(all.get(i).address() % 64).isZero();
            all.get(i).fill((byte) i);
        }
        for (int i = 0; i < all.size(); i++) {
            MemorySegment expected = Arena.ofAuto().allocate(64L << i % 7).fill((byte) i);
            assertThat(all.get(i).mismatch(expected)).as("memory %s", i).isEqualTo(-1);
        }
    }

    @Test
    void machineWithLittleMemory_givesWhatIsAskedFor() {
        most = 1 << 10;
        assertThat(reserved(100, 1 << 10)).allMatch(each -> each.byteSize() == 1 << 10);
        assertThat(taken).isEqualTo(100);
    }

    @Test
    void releasedMemory_isUsedAgain() {
        MemorySegment[] first = reserved(4, 256);
        staging.release(first);
        assertThat(reserved(4, 256)).containsExactlyInAnyOrder(first);
        assertThat(staging.usedBytes()).isEqualTo(1024);
    }
}
