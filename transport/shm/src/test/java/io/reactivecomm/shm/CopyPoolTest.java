package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CopyPoolTest {

    private static final int BYTES = 300 << 10;

    private final Object content = new Object();
    private final byte[] tensor = new byte[2 * BYTES];
    private HeapFile memory;
    private CopyPool copies;

    @BeforeEach
    void open() throws Exception {
        memory = new HeapFile(2 << 20);
        copies = new CopyPool(memory.heap);
    }

    @AfterEach
    void close() {
        memory.close();
    }

    private Frame.Data data(Object what, int from, int bytes) {
        return new Frame.Data(1, MemorySegment.ofArray(tensor).asSlice(from, bytes), what);
    }

    private byte firstOf(CopyPool.Copy copy) {
        return memory.file.memory().get(ValueLayout.JAVA_BYTE, copies.offset(copy));
    }

    @Test
    void of_sameContent_isOneCopyUntilAllHaveReadIt() {
        tensor[0] = 1;
        CopyPool.Copy first = copies.of(data(content, 0, BYTES));
        tensor[0] = 2;
        CopyPool.Copy second = copies.of(data(content, 0, BYTES));
        assertThat(second).isSameAs(first);
        assertThat(firstOf(second)).isEqualTo((byte) 1);

        copies.returned(first);
        assertThat(copies.of(data(content, 0, BYTES)))
                .as("the second still reads it")
                .isSameAs(first);
        copies.returned(first);
        copies.returned(first);
        CopyPool.Copy later = copies.of(data(content, 0, BYTES));
        assertThat(firstOf(later)).as("nobody had it any more").isEqualTo((byte) 2);
        assertThat(copies.offset(later)).as("the memory is used again").isEqualTo(copies.offset(first));
    }

    @Test
    void of_anythingElse_isAnotherCopy() {
        CopyPool.Copy first = copies.of(data(content, 0, BYTES));
        assertThat(copies.of(data(content, BYTES, BYTES))).as("another piece").isNotSameAs(first);
        assertThat(copies.of(data(content, 0, BYTES - 1))).as("another length").isNotSameAs(first);
        assertThat(copies.of(data(new Object(), 0, BYTES)))
                .as("another content")
                .isNotSameAs(first);
        CopyPool.Copy unknown = copies.of(data(null, 0, BYTES));
        assertThat(unknown).isNotSameAs(first);
        assertThat(copies.of(data(null, 0, BYTES)))
                .as("nothing is known of either")
                .isNotSameAs(unknown);
    }

    @Test
    void abandoned_byOneOfTwo_isNeverWrittenAgain() {
        CopyPool.Copy shared = copies.of(data(content, 0, BYTES));
        copies.of(data(content, 0, BYTES));
        copies.abandoned(shared);
        copies.returned(shared);
        assertThat(copies.offset(copies.of(data(content, 0, BYTES)))).isNotEqualTo(copies.offset(shared));
    }

    @Test
    void close_afterAllLinks_endsTheFile() {
        CopyPool.Copy shared = copies.of(data(content, 0, BYTES));
        copies.of(data(content, 0, BYTES));
        copies.returned(copies.of(data(null, 0, BYTES)));
        copies.returned(shared);
        copies.abandoned(shared);
        copies.close();
        assertThat(memory.isOpen()).isTrue();
        memory.heap.close();
        assertThat(memory.isOpen()).isFalse();
    }

    @Test
    void of_noMoreSharedMemory_isNothing() {
        for (int i = 0; i < 6; i++) {
            assertThat(copies.of(data(null, 0, BYTES))).isNotNull();
        }
        assertThat(copies.of(data(null, 0, BYTES))).isNull();
    }
}
