package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tensors in shared memory: whether the program closes them or forgets them, the machine gets their memory back, and nobody sees another's. */
@Timeout(60)
class SharedTensorLifeTest {

    private static final int PAGE = HeapFile.PAGE;
    private static final int PAGES = 16;
    /** Half a minute: on a busy machine the thread that frees is late. */
    private static final int MOST_COLLECTIONS = 1500;

    /** Has the collector run until something is so, for a bounded number of times. */
    private static boolean becomes(BooleanSupplier condition) throws InterruptedException {
        return becomes(condition, MOST_COLLECTIONS);
    }

    private static boolean becomes(BooleanSupplier condition, int mostCollections) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < mostCollections && !condition.getAsBoolean(); i++) {
            System.gc();
            never.await(20, TimeUnit.MILLISECONDS);
        }
        return condition.getAsBoolean();
    }

    private static boolean isAllFree(SharedHeap heap) {
        MemorySegment all = heap.take(PAGES * PAGE);
        if (all != null) {
            heap.giveBack(all);
        }
        return all != null;
    }

    private static void drop(SharedHeap heap, int count) {
        for (int i = 0; i < count; i++) {
            Tensor tensor = Tensor.allocate(heap, DType.INT8, PAGE);
            assertThat(heap.has(tensor.segment())).isTrue();
            tensor.segment().fill((byte) 7);
        }
    }

    @Test
    void dropped_isGivenBack() throws Exception {
        try (HeapFile memory = new HeapFile(PAGES * PAGE)) {
            drop(memory.heap, PAGES);
            assertThat(becomes(() -> isAllFree(memory.heap))).isTrue();
        }
    }

    @Test
    void dropped_afterTheGroupsEnd_endsTheFile() throws Exception {
        try (HeapFile memory = new HeapFile(PAGES * PAGE)) {
            drop(memory.heap, 3);
            memory.heap.close();
            assertThat(becomes(() -> !memory.isOpen())).isTrue();
        }
    }

    @Test
    void sliceKept_afterTheGroupsEnd_keepsTheFile() throws Exception {
        try (HeapFile memory = new HeapFile(PAGES * PAGE)) {
            Tensor slice = sliceOfDropped(memory.heap);
            memory.heap.close();
            assertThat(becomes(() -> !memory.isOpen(), 5)).isFalse();
            assertThat(slice.toByteArray()).containsOnly(7);
            Reference.reachabilityFence(slice);
            slice = null;
            assertThat(becomes(() -> !memory.isOpen())).isTrue();
        }
    }

    private static Tensor sliceOfDropped(SharedHeap heap) {
        Tensor whole = Tensor.allocate(heap, DType.INT8, PAGE);
        whole.segment().fill((byte) 7);
        return whole.slice(1, 2);
    }

    /** Its pages may be another tensor's by then. */
    @Test
    void closed_whatWasKeptOfIt_reachesNothing() throws Exception {
        try (HeapFile memory = new HeapFile(PAGES * PAGE)) {
            Tensor first = Tensor.allocate(memory.heap, DType.INT8, PAGE);
            MemorySegment kept = first.segment().asSlice(8);
            first.close();
            assertThat(isAllFree(memory.heap)).as("at once").isTrue();
            try (Tensor second = Tensor.allocate(memory.heap, DType.INT8, PAGE)) {
                assertThat(second.segment().address()).isEqualTo(kept.address() - 8);
                assertThatThrownBy(() -> kept.set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
                        .isInstanceOf(IllegalStateException.class);
                assertThat(second.toByteArray()).containsOnly(0);
            }
        }
    }
}
