package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class SharedHeapTest {

    private static final int PAGE = HeapFile.PAGE;
    private static final int PAGES = 16;

    private HeapFile memory;
    private SharedFile file;
    private SharedHeap heap;

    @BeforeEach
    void open() throws Exception {
        memory = new HeapFile(PAGES * PAGE);
        file = memory.file;
        heap = memory.heap;
    }

    @AfterEach
    void close() {
        memory.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4095, 4096, 4097, PAGES * PAGE})
    void take_anySize_isThatLong_aligned_zero_andSharedAsLongAsItIsTaken(long bytes) {
        MemorySegment taken = heap.take(bytes);
        assertThat(taken.byteSize()).isEqualTo(bytes);
        assertThat(taken.address() % 64).isZero();
        assertThat(taken.mismatch(MemorySegment.ofArray(new byte[(int) bytes]))).isEqualTo(-1);
        assertThat(heap.has(taken)).isTrue();
        assertThat(heap.offset(taken)).isGreaterThanOrEqualTo(PAGE);
        heap.giveBack(taken);
        assertThat(heap.take(PAGES * PAGE)).as("all of it, again").isNotNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {PAGES * PAGE + 1, 1L << 40, Long.MAX_VALUE, Long.MAX_VALUE - 4095, Long.MAX_VALUE - 4096})
    void take_moreThanThereIs_isNone(long bytes) {
        assertThat(heap.take(bytes)).isNull();
        assertThat(heap.take(PAGES * PAGE)).isNotNull();
    }

    @Test
    void take_whatTheSystemDoesNotHave_isNone_andSaidOnce() {
        SharedHeap boundless = new SharedHeap(file, PAGE, Long.MAX_VALUE - 2 * PAGE + 1);
        Logger logger = (Logger) LoggerFactory.getLogger(SharedHeap.class);
        ListAppender<ILoggingEvent> said = new ListAppender<>();
        said.start();
        logger.addAppender(said);
        try {
            assertThat(boundless.take(1L << 62)).isNull();
            assertThat(boundless.take(1L << 61)).isNull();
            assertThat(boundless.take(PAGE)).as("less than that").isNotNull();
        } finally {
            logger.detachAppender(said);
        }
        assertThat(said.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).contains("shared memory is full"));
    }

    /** What the system refuses is logged while it is asked, which tells what is held meanwhile. */
    @Test
    void system_isAsked_whileOthersMayTakeAndGiveBack() {
        SharedHeap boundless = new SharedHeap(file, PAGE, Long.MAX_VALUE - 2 * PAGE + 1);
        List<Boolean> held = new ArrayList<>();
        AppenderBase<ILoggingEvent> asked = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                held.add(Thread.holdsLock(boundless));
            }
        };
        asked.start();
        Logger logger = (Logger) LoggerFactory.getLogger("io.reactivecomm.shm");
        logger.addAppender(asked);
        try {
            assertThat(boundless.take(1L << 62)).isNull();
            MemorySegment before =
                    MemorySegment.ofAddress(file.memory().address() - PAGE).reinterpret(PAGE);
            assertThatThrownBy(() -> boundless.giveBack(before)).isInstanceOf(IndexOutOfBoundsException.class);
        } finally {
            logger.detachAppender(asked);
        }
        assertThat(held).containsExactly(false, false);
    }

    @Test
    void take_whatTheSystemDoesNotHave_isFreeAgain() {
        SharedHeap boundless = new SharedHeap(file, PAGE, Long.MAX_VALUE - 2 * PAGE + 1);
        assertThat(boundless.take(1L << 62)).isNull();
        MemorySegment first = boundless.take(PAGE);
        assertThat(boundless.offset(first)).isEqualTo(PAGE);
        boundless.close();
        boundless.giveBack(first);
        assertThat(memory.isOpen()).isFalse();
    }

    @Test
    void memory_takenAgain_isZero() {
        MemorySegment first = heap.take(3 * PAGE);
        first.fill((byte) 7);
        heap.giveBack(first);
        MemorySegment second = heap.take(3 * PAGE);
        assertThat(second.address()).isEqualTo(first.address());
        assertThat(second.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }

    @Test
    void neighbours_givenBackInAnyOrder_areOneAgain() {
        Random random = new Random(1);
        for (int round = 0; round < 20; round++) {
            List<MemorySegment> all = new ArrayList<>();
            for (MemorySegment next = heap.take(1); next != null; next = heap.take(1)) {
                all.add(next);
            }
            assertThat(all).hasSize(PAGES);
            Collections.shuffle(all, random);
            all.forEach(heap::giveBack);
            MemorySegment whole = heap.take(PAGES * PAGE);
            assertThat(whole).isNotNull();
            heap.giveBack(whole);
        }
    }

    /** Beside a picture of the pages: many gaps of all sizes come and go, which the heap keeps in a tree. */
    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void takenAndGivenBackAtRandom_noPageIsTakenTwice_andNoneIsLost(long seed) {
        Random random = new Random(seed);
        BitSet taken = new BitSet();
        List<MemorySegment> held = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            int pages = 1 + random.nextInt(3);
            if (random.nextInt(5) < 3) {
                MemorySegment next = heap.take((long) pages * PAGE);
                assertThat(next == null).as("pages=%s, taken=%s", pages, taken).isEqualTo(!hasGap(taken, pages));
                if (next != null) {
                    assertThat(taken.get(page(next), page(next) + pages).isEmpty())
                            .as("free before")
                            .isTrue();
                    taken.set(page(next), page(next) + pages);
                    held.add(next);
                }
            } else if (!held.isEmpty()) {
                MemorySegment back = held.remove(random.nextInt(held.size()));
                taken.clear(page(back), page(back) + (int) (back.byteSize() / PAGE));
                heap.giveBack(back);
            }
        }
        held.forEach(heap::giveBack);
        assertThat(heap.take(PAGES * PAGE)).isNotNull();
    }

    private int page(MemorySegment memory) {
        return (int) (heap.offset(memory) / PAGE) - 1;
    }

    private static boolean hasGap(BitSet taken, int pages) {
        for (int from = taken.nextClearBit(0); from + pages <= PAGES; from = taken.nextClearBit(from + 1)) {
            if (taken.get(from, from + pages).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void has_memoryOfTheProcess_isNotShared() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(heap.has(arena.allocate(64))).isFalse();
            assertThat(heap.has(MemorySegment.ofArray(new byte[64]))).isFalse();
            assertThat(heap.has(MemorySegment.ofAddress(
                                    file.memory().address() + file.memory().byteSize() - 8)
                            .reinterpret(16)))
                    .isFalse();
        }
    }

    @Test
    void close_withMemoryOut_livesUntilTheLastIsGivenBack() {
        MemorySegment first = heap.take(1);
        MemorySegment second = heap.take(1);
        heap.close();
        heap.close();
        assertThat(heap.take(1)).isNull();
        heap.giveBack(first);
        second.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        assertThat(memory.isOpen()).isTrue();
        heap.giveBack(second);
        assertThat(memory.isOpen()).isFalse();
    }

    @Test
    void close_withNothingOut_endsAtOnce_andOnce() {
        heap.giveBack(heap.take(1));
        heap.close();
        assertThat(memory.isOpen()).isFalse();
        heap.close();
    }

    @Test
    void leave_beforeOrAfterClose_endsWithTheLast() {
        heap.take(1);
        heap.take(1);
        heap.leave();
        assertThat(memory.isOpen()).isTrue();
        heap.close();
        assertThat(memory.isOpen()).isTrue();
        heap.leave();
        assertThat(memory.isOpen()).isFalse();
    }

    @Test
    void leave_afterCloseAndTheLastGivenBack_closesNothingTwice() {
        heap.take(1);
        heap.leave();
        heap.close();
        assertThat(memory.isOpen()).isFalse();
    }

    @Test
    void manyThreads_neverShareAPage() {
        List<CompletableFuture<Void>> all = IntStream.range(0, 4)
                .mapToObj(each -> CompletableFuture.runAsync(() -> takeAndGiveBack((byte) (each + 1))))
                .toList();
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        assertThat(heap.take(PAGES * PAGE)).as("all of it, again").isNotNull();
    }

    private void takeAndGiveBack(byte own) {
        Random random = new Random(own);
        for (int i = 0; i < 500; i++) {
            MemorySegment taken = heap.take(1 + random.nextInt(3 * PAGE));
            if (taken != null) {
                assertThat(taken.mismatch(MemorySegment.ofArray(new byte[(int) taken.byteSize()])))
                        .isEqualTo(-1);
                taken.fill(own);
                assertThat(taken.get(ValueLayout.JAVA_BYTE, taken.byteSize() - 1))
                        .isEqualTo(own);
                assertThat(taken.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(own);
                heap.giveBack(taken);
            }
        }
    }

    @Test
    void namedFile_worksAsAnyOther_andLeavesNoName(@TempDir Path directory) throws Exception {
        try (SharedFile named = SharedFile.named(directory, 4 * PAGE);
                Arena arena = Arena.ofShared()) {
            assertThat(Files.list(directory)).isEmpty();
            named.reserve(0, 4 * PAGE);
            named.memory().set(ValueLayout.JAVA_LONG, PAGE, 42);
            MemorySegment view = SharedFile.view(ProcessHandle.current().pid(), named.descriptor(), 4 * PAGE, arena);
            assertThat(view.get(ValueLayout.JAVA_LONG, PAGE)).isEqualTo(42);
            assertThat(view.isReadOnly()).isTrue();
        }
    }

    @Test
    void create_isSealed_nobodyChangesItsSize() throws Exception {
        Path path = Path.of("/proc/self/fd", Integer.toString(file.descriptor()));
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> channel.truncate(PAGE)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1), (PAGES + 1) * PAGE))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void create_moreThanCanBeMapped_isRefusedWithBothCauses_andLeavesNothing() throws Exception {
        long bytes = 1L << 62;
        assertThatThrownBy(() -> SharedFile.create(bytes))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("; in /dev/shm: ");
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(descriptors.filter(each -> sizeOf(each) == bytes)).isEmpty();
        }
    }

    /** One that is closed meanwhile has none. */
    private static long sizeOf(Path descriptor) {
        try {
            return Files.size(descriptor);
        } catch (IOException e) {
            return -1;
        }
    }

    @Test
    void view_ofAnotherSizeOrNoFile_isRefused() {
        try (Arena arena = Arena.ofShared()) {
            long pid = ProcessHandle.current().pid();
            for (long bytes : new long[] {0, -1, PAGE, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> SharedFile.view(pid, file.descriptor(), bytes, arena))
                        .isInstanceOf(IOException.class);
            }
            assertThatThrownBy(() -> SharedFile.view(pid, 1 << 20, PAGE, arena)).isInstanceOf(IOException.class);
        }
    }
}
