package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.ProtocolException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writer and readers of a ring keep the same names, whatever is evicted. */
class RecentNamesTest {

    private static final GroupKey GROUP = new GroupKey(3, 42);

    private static CallKey.Ticket key(String name, long ticket, int ordinal) {
        return new CallKey.Ticket(GROUP.generation(), GROUP.id(), name, ticket, ordinal);
    }

    @Test
    void call_thatRecurs_isASlotAndAStep() {
        RecentNames ring = new RecentNames(GROUP, 4);
        assertThat(ring.write(key("a", 7, 1))).isEqualTo(new NameReference.New(key("a", 7, 1)));
        assertThat(ring.write(key("b", 0, 1))).isEqualTo(new NameReference.New(key("b", 0, 1)));
        assertThat(ring.write(key("a", 8, 1))).isEqualTo(new NameReference.Again(GROUP, 0, 1, 1));
        assertThat(ring.write(key("a", 8, 2))).isEqualTo(new NameReference.Again(GROUP, 0, 0, 2));
        assertThat(ring.write(key("b", 3, 1))).isEqualTo(new NameReference.Again(GROUP, 1, 3, 1));
        assertThat(ring.write(key("a", 2, 1))).isEqualTo(new NameReference.Again(GROUP, 0, -6, 1));
    }

    @Test
    void name_thatCameFirst_isEvictedFirst() {
        RecentNames ring = new RecentNames(GROUP, 2);
        ring.write(key("a", 0, 1));
        ring.write(key("b", 0, 1));
        ring.write(key("a", 1, 1));
        assertThat(ring.write(key("c", 0, 1))).isInstanceOf(NameReference.New.class);
        assertThat(ring.write(key("b", 1, 1))).isEqualTo(new NameReference.Again(GROUP, 1, 1, 1));
        assertThat(ring.write(key("a", 2, 1))).isInstanceOf(NameReference.New.class);
        assertThat(ring.write(key("b", 2, 1))).isInstanceOf(NameReference.New.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void reader_readsWhatWasWritten(int slots) {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            RecentNames writer = new RecentNames(GROUP, slots);
            RecentNames reader = new RecentNames(GROUP, slots);
            for (int i = 0; i < 200; i++) {
                CallKey.Ticket key = key("name" + random.nextInt(1 + random.nextInt(9)), random.nextLong(), 1 + random.nextInt(3));
                assertThat(reader.read(writer.write(key))).as("seed=%d", seed).isEqualTo(key);
            }
        }
    }

    @Test
    void slot_thatIsNotUsed_isRefused() {
        RecentNames ring = new RecentNames(GROUP, 4);
        ring.write(key("a", 0, 1));
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> ring.read(new NameReference.Again(GROUP, 1, 1, 1)))
                .withMessage("unknown slot: slot=1, known=1");
    }
}
