package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that writes nonsense into its memory: it loses its link, and nothing else happens. */
class HostilePeerTest {

    private TwoEnds ends;
    private TwoEnds.End liar;
    private TwoEnds.End honest;

    @BeforeEach
    void connect() throws Exception {
        ends = new TwoEnds();
        liar = ends.near;
        honest = ends.far;
    }

    @AfterEach
    void close() {
        ends.close();
    }

    private void requireDown() {
        assertThat(honest.down).as("the liar's link is down").isTrue();
        assertThat(honest.cause).contains("protocol");
        assertThat(honest.control.closed).isTrue();
        assertThat(honest.link.hasNews()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, Long.MIN_VALUE, Long.MAX_VALUE, (16 << 10) + 8, 1, 12})
    void tail_thatCannotBe_endsTheLink(long tail) {
        SharedWords.write(liar.file.memory(), liar.controlBlock() + SharedFileLayout.TAIL_OFFSET, tail);
        assertThat(honest.link.hasNews())
                .as("something to deal with before it sleeps")
                .isTrue();
        honest.link.poll();
        requireDown();
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, Long.MIN_VALUE, Long.MAX_VALUE, 1 << 20, 1, 12})
    void head_thatCannotBe_endsTheLink(long head) {
        SharedWords.write(liar.file.memory(), liar.controlBlock() + SharedFileLayout.HEAD_OFFSET, head);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment small = arena.allocate(4096);
            for (int grant = 0; grant < 40; grant++) {
                honest.write(new Frame.Data(grant, small));
            }
        }
        honest.link.poll();
        requireDown();
    }

    @ParameterizedTest
    @CsvSource({"0,8", "9,8", "1,0", "1,-1", "1,2147483647", "2,8", "2,-1", "3,8", "3,48", "4,16", "4,-8", "-1,40"})
    void unit_thatIsNone_endsTheLink(int kind, int length) {
        unit(kind, length);
        honest.link.poll();
        requireDown();
    }

    @ParameterizedTest
    @ValueSource(ints = {2147483647, 2147483640, 2147483632})
    void payload_longerThanCanBe_endsTheLinkBeforeAnythingIsReserved(int length) {
        unit(Unit.PAYLOAD, length);
        honest.link.poll();
        requireDown();
    }

    @ParameterizedTest
    @CsvSource({
        "-1,8,0",
        "0,0,0",
        "0,-1,0",
        "67108864,8,0",
        "67108863,2,0",
        "9223372036854775807,2147483647,0",
        "0,8,-1",
        "0,8,256"
    })
    void loan_outsideOfMemory_endsTheLink(long offset, int length, int place) {
        MemorySegment ring = liar.file.memory().asSlice(liar.ring());
        ring.set(ValueLayout.JAVA_LONG, 16, offset);
        ring.set(ValueLayout.JAVA_LONG, 24, 1);
        ring.set(ValueLayout.JAVA_INT, 32, place);
        ring.set(ValueLayout.JAVA_INT, 36, length);
        unit(Unit.LENT, Unit.LENT_BYTES);
        honest.link.poll();
        requireDown();
        assertThat(honest.loans).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 255, 256, -1, Long.MIN_VALUE, 1L << 32})
    void giveBack_ofWhatWasNotLent_endsTheLink(long place) {
        liar.file.memory().set(ValueLayout.JAVA_LONG, liar.ring() + 8, place);
        unit(Unit.RETURNED, Unit.RETURNED_BYTES);
        honest.link.poll();
        requireDown();
    }

    @Test
    void giveBack_twice_endsTheLink() {
        honest.write(new Frame.Data(1, honest.heap.take(8 << 10)));
        liar.link.poll();
        liar.loans.forEach(loan -> List.of(1, 2).forEach(time -> loan.giveBack()));
        liar.link.flush();
        honest.link.poll();
        requireDown();
    }

    /** Writes a header, and says that all it speaks of is there, as far as that fits. */
    private void unit(int kind, int length) {
        MemorySegment memory = liar.file.memory();
        memory.set(ValueLayout.JAVA_INT, liar.ring(), length);
        memory.set(ValueLayout.JAVA_INT, liar.ring() + 4, kind);
        SharedWords.write(memory, liar.controlBlock() + SharedFileLayout.TAIL_OFFSET, 64);
    }
}
