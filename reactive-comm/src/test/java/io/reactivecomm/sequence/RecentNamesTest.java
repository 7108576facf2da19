package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.List;
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
                CallKey.Ticket key =
                        key("name" + random.nextInt(1 + random.nextInt(9)), random.nextLong(), 1 + random.nextInt(3));
                assertThat(reader.read(writer.write(key))).as("seed=%d", seed).isEqualTo(key);
            }
        }
    }

    private static CallKey.Ticket inStep(long step, int ordinal, String name, long ticket) {
        CallKey.Ticket run = new CallKey.Ticket(0, 0, "step", step, ordinal);
        return new CallKey.Ticket(GROUP.generation(), GROUP.id(), name, ticket, 1, new Enclosure(run, 0, "training"));
    }

    /** Inner tickets restart in each run: it is the step from run to run that tells them apart. */
    @Test
    void callInAComposite_isOfAnotherName_andRecursWithItsRun() {
        RecentNames ring = new RecentNames(GROUP, 4);
        RecentNames reader = new RecentNames(GROUP, 4);
        List<CallKey.Ticket> keys = List.of(
                key("a", 0, 1),
                inStep(0, 1, "a", 0),
                inStep(0, 1, "a", 1),
                key("a", 1, 1),
                inStep(1, 1, "a", 0),
                inStep(1, 2, "a", 0));
        List<NameReference> places = keys.stream().map(ring::write).toList();
        assertThat(places)
                .containsExactly(
                        new NameReference.New(keys.get(0)),
                        new NameReference.New(keys.get(1)),
                        new NameReference.Again(GROUP, 1, 1, 0, 1, List.of(new NameReference.RunStep(0, 1))),
                        new NameReference.Again(GROUP, 0, 1, 1),
                        new NameReference.Again(GROUP, 1, -1, 0, 1, List.of(new NameReference.RunStep(1, 1))),
                        new NameReference.Again(GROUP, 1, 0, 0, 1, List.of(new NameReference.RunStep(0, 2))));
        assertThat(places.stream().map(reader::read)).isEqualTo(keys);
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> reader.read(new NameReference.Again(GROUP, 1, 1, 1)))
                .withMessageContaining("runs=0, known=1");
    }

    /** Counters restart in each step: its number tells them apart. */
    @Test
    void callOfAStep_recursWithTheNextOne_alsoInAComposite() {
        RecentNames ring = new RecentNames(GROUP, 4);
        RecentNames reader = new RecentNames(GROUP, 4);
        List<CallKey.Ticket> keys = new ArrayList<>();
        for (long step = 7; step < 9; step++) {
            CallKey.Ticket plain = new CallKey.Ticket(GROUP.generation(), GROUP.id(), step, "a", 0, 1, null);
            keys.add(plain);
            keys.add(new CallKey.Ticket(GROUP.generation(), GROUP.id(), "b", 0, 1, new Enclosure(plain, 0, "")));
        }
        keys.add(key("a", 0, 1));
        List<NameReference> places = keys.stream().map(ring::write).toList();
        assertThat(places.subList(2, 5))
                .containsExactly(
                        new NameReference.Again(GROUP, 0, 0, 1, 1, List.of()),
                        new NameReference.Again(GROUP, 1, 0, 1, 1, List.of(new NameReference.RunStep(0, 1))),
                        new NameReference.Again(GROUP, 0, 0, -9, 1, List.of()));
        assertThat(places.stream().map(reader::read)).isEqualTo(keys);
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> reader.read(new NameReference.Again(GROUP, 0, 0, -1, 1, List.of())))
                .withMessageContaining("impossible number of a scope: number=-2");
    }

    @Test
    void slot_thatIsNotUsed_isRefused() {
        RecentNames ring = new RecentNames(GROUP, 4);
        ring.write(key("a", 0, 1));
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> ring.read(new NameReference.Again(GROUP, 1, 1, 1)))
                .withMessage("unknown slot: slot=1, known=1");
    }
}
