package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Anything that is written into the smallest ring comes out as it was, in its order, however the two ends take turns. */
class UnitsFuzzTest {

    private static final int STEPS = 3_000;
    /** Frames that are written at once: together longer than the ring. */
    private static final int BURST = 1_000;

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void frames_payloadsAndLoans_arriveAsTheyWere(long seed) throws Exception {
        try (TwoEnds ends = new TwoEnds();
                Arena arena = Arena.ofShared()) {
            new Run(ends, arena, new Random(seed)).run();
        }
    }

    /** One seed's. */
    private static final class Run {

        private final TwoEnds ends;
        private final Arena arena;
        private final Random random;
        private final MemorySegment own;
        private final MemorySegment shared;
        private final List<Frame> frames = new ArrayList<>();
        private final List<byte[]> small = new ArrayList<>();
        private final List<byte[]> lent = new ArrayList<>();
        private final List<byte[]> read = new ArrayList<>();
        private int data;
        private int taken;

        private Run(TwoEnds ends, Arena arena, Random random) {
            this.ends = ends;
            this.arena = arena;
            this.random = random;
            this.own = filled(arena.allocate(64 << 10));
            this.shared = filled(ends.near.heap.take(64 << 10));
        }

        private MemorySegment filled(MemorySegment memory) {
            byte[] bytes = new byte[(int) memory.byteSize()];
            random.nextBytes(bytes);
            return memory.copyFrom(MemorySegment.ofArray(bytes));
        }

        private void run() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(6)) {
                    case 0 -> frames(random.nextInt(20) == 0 ? BURST : 1);
                    case 1 -> payload();
                    case 2 -> ends.near.link.flush();
                    case 3 -> ends.near.link.poll();
                    case 4 -> ends.far.link.poll();
                    default -> readSome();
                }
            }
            ends.near.link.flush();
            for (int i = 0;
                    i < 1_000 && ends.far.loans.size() > taken | ends.near.link.isPending() | read.size() < lent.size();
                    i++) {
                ends.settle();
                readSome();
            }
            ends.settle();
            assertThat(ends.far.frames.equals(frames))
                    .as("frames are as they were")
                    .isTrue();
            assertThat(ends.far.payloads)
                    .usingElementComparator(Arrays::compare)
                    .containsExactlyElementsOf(small);
            assertThat(read).usingElementComparator(Arrays::compare).containsExactlyElementsOf(lent);
            assertThat(ends.near.written).as("payloads that have left").hasSize(data);
            assertThat(ends.near.down | ends.far.down).isFalse();
        }

        private void frames(int count) {
            for (int i = 0; i < count; i++) {
                frame();
            }
        }

        private void frame() {
            Frame frame = switch (random.nextInt(4)) {
                case 0 -> new Frame.Withdrawn(random.nextLong());
                case 1 -> new Frame.Grant(1, 2, 3, 4, random.nextLong());
                case 2 -> new Frame.Lost(1, "x".repeat(random.nextInt(200)));
                default -> new Frame.Leave(random.nextLong());
            };
            frames.add(frame);
            ends.near.link.write(frame);
        }

        private void payload() {
            if (!ends.near.link.isWritable()) {
                return;
            }
            boolean isShared = random.nextBoolean();
            int length = 1 + random.nextInt(random.nextBoolean() ? 4096 : 32 << 10);
            int from = random.nextInt(16 << 10);
            MemorySegment bytes = (isShared ? shared : own).asSlice(from, length);
            (length <= 4096 ? small : lent).add(bytes.toArray(ValueLayout.JAVA_BYTE));
            ends.near.link.write(new Frame.Data(data++, bytes));
        }

        private void readSome() {
            for (; taken < ends.far.loans.size(); taken++) {
                Loan loan = ends.far.loans.get(taken);
                assertThat(loan.begin()).isTrue();
                read.add(loan.memory().toArray(ValueLayout.JAVA_BYTE));
                assertThat(loan.end()).isTrue();
                loan.giveBack();
            }
            ends.far.link.flush();
        }
    }
}
