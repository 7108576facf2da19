package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShmLinkTest {

    private static final int BYTES = 8 << 10;

    private final Arena arena = Arena.ofShared();
    private TwoEnds ends;
    private TwoEnds.End near;
    private TwoEnds.End far;

    @BeforeEach
    void connect() throws Exception {
        ends = new TwoEnds();
        near = ends.near;
        far = ends.far;
    }

    @AfterEach
    void close() {
        ends.close();
        arena.close();
    }

    private MemorySegment privateBytes(int value) {
        return arena.allocate(BYTES).fill((byte) value);
    }

    private MemorySegment sharedBytes(int value) {
        return near.heap.take(BYTES).fill((byte) value);
    }

    @Test
    void end_afterMuchThatWasSent_bringsAllOfItBeforeTheEnd() {
        for (int grant = 0; grant < 5; grant++) {
            near.write(new Frame.Data(grant, privateBytes(grant)));
        }
        near.write(new Frame.Goodbye());
        far.link.controlDown("its socket ended");
        assertThat(far.loans).as("payloads that were sent before the end").hasSize(5);
        assertThat(far.frames).containsExactly(new Frame.Goodbye());
        assertThat(far.down).isTrue();
        assertThat(far.cause).as("a goodbye came first").isNull();
    }

    @Test
    void end_ofASenderWhoseCopiesAreStillToBeRead_leavesThemReadable() {
        near.write(new Frame.Data(1, privateBytes(7)));
        near.write(new Frame.Goodbye());
        ends.settle();
        near.link.close();
        assertThat(near.control.closed).as("nothing of the program's is lent").isTrue();
        near.link.controlDown(null);
        near.heap.close();
        far.link.controlDown(null);
        assertThat(far.down).isTrue();
        Loan loan = far.loans.getFirst();
        assertThat(loan.begin()).isTrue();
        assertThat(loan.memory().toArray(ValueLayout.JAVA_BYTE)).containsOnly(7);
        assertThat(loan.end()).isTrue();
        assertThat(far.link.isMapped()).isTrue();
        loan.giveBack();
        assertThat(far.link.isMapped())
                .as("mapped though nothing is left to read")
                .isFalse();
    }

    @Test
    void end_ofASenderWhoseTensorIsLent_waitsUntilItIsGivenBack() {
        near.write(new Frame.Data(1, sharedBytes(7)));
        ends.settle();
        near.link.close();
        assertThat(near.control.closed).isFalse();
        far.loans.getFirst().giveBack();
        far.link.flush();
        ends.settle();
        assertThat(near.control.closed).isTrue();
    }

    @Test
    void withdraw_beforeTheReaderHasLooked_isAWithdrawnGrant() {
        Frame.Data data = new Frame.Data(1, sharedBytes(7));
        near.write(data);
        near.link.withdraw(data);
        ends.settle();
        assertThat(far.loans).isEmpty();
        assertThat(far.frames).containsExactly(new Frame.Withdrawn(1));
        assertThat(near.written).containsExactly(data);
    }

    @Test
    void withdraw_whileItIsRead_isSeenAtTheEndOfReading() {
        Frame.Data data = new Frame.Data(1, sharedBytes(7));
        near.write(data);
        ends.settle();
        Loan loan = far.loans.getFirst();
        assertThat(loan.begin()).isTrue();
        near.link.withdraw(data);
        assertThat(loan.end()).isFalse();
        assertThat(loan.begin()).isFalse();
        assertThat(near.written).as("before it is given back").isEmpty();
        loan.giveBack();
        far.link.flush();
        ends.settle();
        assertThat(near.written).containsExactly(data);
    }

    @Test
    void payloads_ofATensor_areLentAsTheyAre_othersAreCopied_smallOnesTravel() {
        near.write(new Frame.Data(1, sharedBytes(1)));
        ends.settle();
        assertThat(far.link.lends()).isTrue();
        MemorySegment own = privateBytes(2);
        near.write(new Frame.Data(2, own));
        own.fill((byte) 9);
        ends.settle();
        assertThat(far.link.lends()).isFalse();
        near.write(new Frame.Data(3, privateBytes(3).asSlice(1, 4096)));
        ends.settle();
        assertThat(far.loans)
                .extracting(loan -> loan.memory().get(ValueLayout.JAVA_BYTE, 5))
                .containsExactly((byte) 1, (byte) 2);
        assertThat(far.payloads)
                .singleElement()
                .satisfies(bytes -> assertThat(bytes).hasSize(4096).containsOnly(3));
        assertThat(near.written).extracting(Frame.Data::grant).containsExactly(2L, 3L);
    }

    private Frame bringing(int eagerBytes, int value) {
        return new Frame.Announce(
                value, new Frame.Edge(0, eagerBytes, arena.allocate(eagerBytes).fill((byte) value)));
    }

    /** The ring has 16 KiB: units go round in up to sixteen bits, and begin anywhere. */
    @ParameterizedTest
    @ValueSource(ints = {16 << 10, 64 << 10, 250 << 10})
    void frames_largerThanTheRing_arriveAsTheyWere(int eagerBytes) {
        for (int value = 1; value <= 5; value++) {
            near.write(new Frame.Dropped(value));
            near.write(bringing(eagerBytes, value));
            assertThat(near.link.isPending()).as("more than the ring takes").isTrue();
            ends.settle();
        }
        assertThat(far.frames)
                .hasSize(10)
                .extracting(Frame::getClass)
                .startsWith(Frame.Dropped.class, Frame.Announce.class);
        for (int value = 1; value <= 5; value++) {
            assertThat(far.frames.get(2 * value - 2)).isEqualTo(new Frame.Dropped(value));
            Frame.Announce arrived = (Frame.Announce) far.frames.get(2 * value - 1);
            assertThat(arrived.edge()
                            .eager()
                            .mismatch(arena.allocate(eagerBytes).fill((byte) value)))
                    .isEqualTo(-1);
        }
        assertThat(far.down).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 16, 64, 1024})
    void frameWithTheMostEagerBytes_inAWorldOfAnySize_isInTheRingAtOnce(int worldSize) throws Exception {
        try (TwoEnds any = new TwoEnds(SharedFileLayout.of(worldSize, 1 << 20))) {
            any.near.write(bringing(64 << 10, 1));
            assertThat(any.near.link.isPending()).isFalse();
        }
    }

    @Test
    void leases_whenAllAreOut_comeBackToWork() {
        List<Frame.Data> sent = new ArrayList<>();
        for (int i = 0; near.link.isWritable(); i++) {
            sent.add(new Frame.Data(i, sharedBytes(i)));
            near.write(sent.getLast());
            ends.settle();
        }
        assertThat(sent).hasSize(SharedFileLayout.LEASES);
        assertThat(far.loans.getFirst().isScarce()).isFalse();
        assertThat(far.loans.getLast().isScarce()).isTrue();
        far.loans.reversed().forEach(Loan::giveBack);
        far.link.flush();
        ends.settle();
        assertThat(near.link.isWritable()).isTrue();
        assertThat(near.written).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void copies_whenAllAreOut_comeBackToWork() {
        int sent = 0;
        for (; near.link.isWritable(); sent++) {
            near.write(new Frame.Data(sent, privateBytes(sent)));
            ends.settle();
        }
        assertThat(sent).isEqualTo(8);
        assertThat(far.loans.getLast().isScarce()).isTrue();
        far.loans.getFirst().giveBack();
        far.link.flush();
        ends.settle();
        assertThat(near.link.isWritable()).isTrue();
    }

    /** Another peer reads the same copy when this one is lost. */
    @Test
    void copy_whoseReaderIsLost_isKeptForTheOther_andNeverWrittenAgain() {
        Object content = new Object();
        MemorySegment payload = privateBytes(1);
        near.write(new Frame.Data(1, payload, content));
        ends.settle();
        CopyPool.Copy shared = near.copies.of(new Frame.Data(2, payload, content));
        long there = near.copies.offset(shared);
        near.link.free();
        assertThat(near.copies.of(new Frame.Data(3, payload, content)))
                .as("still lent")
                .isSameAs(shared);
        near.copies.returned(shared);
        near.copies.returned(shared);
        assertThat(near.copies.offset(near.copies.of(new Frame.Data(4, payload, content))))
                .isNotEqualTo(there);
        assertThat(far.loans.getFirst().memory().mismatch(payload))
                .as("for who reads it late")
                .isEqualTo(-1);
    }
}
