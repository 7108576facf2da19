package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A peer that shows a unit word by word, or changes it after it was checked: nobody looks in vain for the rest, and nothing is believed
 * twice.
 */
class TricklingPeerTest {

    private static final int ROUNDS = 200;
    private static final int BYTES = 8 << 10;
    private static final Frame SMALL = new Frame.Dropped(7);

    /** What no unit has as its length. */
    private static final int BAD_LENGTH = Integer.MAX_VALUE;

    private static long tail(TwoEnds.End end) {
        return SharedWords.read(end.file.memory(), end.controlBlock() + SharedFileLayout.TAIL_OFFSET);
    }

    private static void tail(TwoEnds.End end, long tail) {
        SharedWords.write(end.file.memory(), end.controlBlock() + SharedFileLayout.TAIL_OFFSET, tail);
    }

    /** Has one end show a word at a time of what it writes. */
    private static void trickle(TwoEnds.End from, TwoEnds.End to, Runnable write) {
        long start = tail(from);
        write.run();
        long end = tail(from);
        assertThat(end).as("what is written is in the ring").isGreaterThan(start + Unit.HEADER_BYTES);
        for (long at = start + Unit.ALIGNMENT; at <= end; at += Unit.ALIGNMENT) {
            tail(from, at);
            assertThat(to.link.hasNews())
                    .as("a word that has come, at %d of %d", at - start, end - start)
                    .isTrue();
            assertThat(to.link.poll()).isTrue();
            assertThat(to.link.hasNews())
                    .as("a reason to stay awake, at %d of %d", at - start, end - start)
                    .isFalse();
            assertThat(to.link.poll()).isFalse();
        }
    }

    /**
     * @param before frames that were sent before, of 24 bytes each: so that units begin anywhere in the ring of 16 KiB, 8 bytes before its
     *     end, too
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 681, 682, 1365})
    void unitsOfEachKind_wordByWord_arrive_andBetweenWordsThereIsNothingToLookAt(int before) throws Exception {
        try (TwoEnds ends = new TwoEnds();
                Arena arena = Arena.ofShared()) {
            for (int i = 0; i < before; i++) {
                ends.near.write(SMALL);
                ends.settle();
            }
            ends.far.frames.clear();
            ends.far.write(new Frame.Data(1, ends.far.heap.take(BYTES)));
            ends.settle();
            Loan theirs = ends.near.loans.getFirst();

            trickle(ends.near, ends.far, () -> ends.near.write(SMALL));
            trickle(
                    ends.near,
                    ends.far,
                    () -> ends.near.write(new Frame.Data(2, arena.allocate(13).fill((byte) 5))));
            trickle(
                    ends.near,
                    ends.far,
                    () -> ends.near.write(
                            new Frame.Data(3, ends.near.heap.take(BYTES).fill((byte) 6))));
            trickle(ends.near, ends.far, () -> {
                theirs.giveBack();
                ends.near.link.flush();
            });

            assertThat(ends.far.frames).containsExactly(SMALL);
            assertThat(ends.far.payloads)
                    .singleElement()
                    .satisfies(bytes -> assertThat(bytes).hasSize(13).containsOnly(5));
            assertThat(ends.far.loans)
                    .singleElement()
                    .satisfies(loan -> assertThat(loan.memory().get(ValueLayout.JAVA_BYTE, 9))
                            .isEqualTo((byte) 6));
            assertThat(ends.far.written).extracting(Frame.Data::grant).containsExactly(1L);
            assertThat(ends.far.down).isFalse();
        }
    }

    /** The header may be seen as it is or as it was never meant to be; what must not be is that one is checked and the other used. */
    @Test
    void header_thatIsAnotherAfterItWasChecked_isNotBelieved() throws Exception {
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try (TwoEnds ends = new TwoEnds()) {
                refused += takesAsItWasOrRefuses(ends) ? 0 : 1;
            }
        }
        System.out.printf("headers that change: %d of %d rounds refused%n", refused, ROUNDS);
    }

    /** {@return whether the unit was taken} */
    private static boolean takesAsItWasOrRefuses(TwoEnds ends) throws Exception {
        MemorySegment memory = ends.near.file.memory();
        long header = ends.near.ring();
        ends.near.write(SMALL);
        long whole = tail(ends.near);
        // Not whole, so it has to be put together.
        tail(ends.near, whole - Unit.ALIGNMENT);
        long good = SharedWords.read(memory, header);
        long bad = (good & -1L << Integer.SIZE) | BAD_LENGTH;

        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> liar = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                SharedWords.write(memory, header, bad);
                SharedWords.write(memory, header, good);
                begun.countDown();
            }
        });
        try {
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            ends.far.link.poll();
        } finally {
            over.set(true);
            liar.get(20, TimeUnit.SECONDS);
        }
        tail(ends.near, whole);
        ends.far.link.poll();

        if (ends.far.down) {
            assertThat(ends.far.cause).contains("protocol");
        } else {
            assertThat(ends.far.frames).containsExactly(SMALL);
        }
        return !ends.far.down;
    }
}
