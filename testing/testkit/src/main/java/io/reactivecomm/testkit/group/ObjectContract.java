package io.reactivecomm.testkit.group;

import static io.reactivecomm.testkit.ObjectEnding.TEXT;
import static io.reactivecomm.testkit.ObjectEnding.UNREADABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ObjectCodec;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.ObjectEnding;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Collectives of objects: what they give, when they write objects, and what they leave behind. */
@SuppressWarnings("NullAway") // Nulls are among the wrong arguments.
public abstract class ObjectContract extends WorldContract {

    /** The object that ranks tell each other: of different lengths, and of several pieces for the last rank. */
    public record Note(int rank, String text, List<Double> numbers) {

        static Note of(int rank, int size) {
            return new Note(rank, "x".repeat(rank == size - 1 ? 700_000 : rank * 31), List.of(rank / 3.0, Double.NaN));
        }

        static List<Note> all(int size) {
            return IntStream.range(0, size).mapToObj(rank -> of(rank, size)).toList();
        }
    }

    final Stream<Integer> sizes() {
        return Stream.of(1, 2, 3, 5, 8);
    }

    private static <T> List<T> values(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> operation) {
        return ObjectEnding.values(groups, LIMIT, operation);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void allGatherObject_ofRecords_givesAllInRankOrder(int size) {
        List<List<Note>> gathered =
                values(world(size), group -> group.allGatherObject(Note.of(group.rank(), size), Note.class));

        assertThat(gathered).hasSize(size).containsOnly(Note.all(size));
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void broadcastObject_fromEachRoot_givesTheRootsToAll(int size) {
        List<ProcessGroup> groups = world(size);
        for (int root = 0; root < size; root++) {
            int from = root;
            List<Note> copies = values(
                    groups,
                    group ->
                            group.broadcastObject(group.rank() == from ? Note.of(from, size) : null, from, Note.class));

            assertThat(copies).hasSize(size).containsOnly(Note.of(root, size));
        }
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void gatherObject_toEachRoot_givesAllThere_andNoneElsewhere(int size) {
        List<ProcessGroup> groups = world(size);
        for (int root = 0; root < size; root++) {
            int to = root;
            List<List<Note>> gathered =
                    values(groups, group -> group.gatherObject(Note.of(group.rank(), size), to, Note.class));

            for (int rank = 0; rank < size; rank++) {
                assertThat(gathered.get(rank)).isEqualTo(rank == root ? Note.all(size) : List.of());
            }
        }
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void scatterObject_fromEachRoot_givesEachItsOwn(int size) {
        List<ProcessGroup> groups = world(size);
        for (int root = 0; root < size; root++) {
            int from = root;
            List<Note> parts = values(
                    groups,
                    group -> group.scatterObject(group.rank() == from ? Note.all(size) : List.of(), from, Note.class));

            assertThat(parts).isEqualTo(Note.all(size));
        }
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void reduceObject_byAnOperatorThatDoesNotCommute_foldsInRankOrderOnTheRoot(int size) {
        List<ProcessGroup> groups = world(size);
        String folded = IntStream.range(0, size).mapToObj(Integer::toString).reduce("", String::concat);
        for (int root = 0; root < size; root++) {
            int to = root;
            List<String> results =
                    values(groups, group -> group.reduceObject("" + group.rank(), to, String::concat, String.class));

            for (int rank = 0; rank < size; rank++) {
                assertThat(results.get(rank)).isEqualTo(rank == root ? folded : null);
            }
        }
    }

    @Test
    void objects_ofNoBytes_areObjects() {
        List<ProcessGroup> groups = world(3);

        assertThat(values(groups, group -> group.allGatherObject("", TEXT))).containsOnly(List.of("", "", ""));
        assertThat(values(groups, group -> group.allGatherObject(group.rank() == 1 ? "a" : "", TEXT)))
                .containsOnly(List.of("", "a", ""));
        assertThat(values(groups, group -> group.broadcastObject("", 1, TEXT))).containsOnly("");
        assertThat(values(groups, group -> group.gatherObject("", 2, TEXT)).getLast())
                .containsExactly("", "", "");
        assertThat(values(groups, group -> group.scatterObject(List.of("a", "", "c"), 1, TEXT)))
                .containsExactly("a", "", "c");
        assertThat(values(groups, group -> group.reduceObject("", 0, String::concat, TEXT)))
                .containsExactly("", null, null);
    }

    @Test
    void signal_comesOnALoop_alsoAnError() {
        ProcessGroup group = world(1).getFirst();
        List<String> threads = new ArrayList<>();
        Runnable look = () -> threads.add(Thread.currentThread().getName());
        group.allGatherObject("a", TEXT).doOnNext(ignored -> look.run()).block(LIMIT);
        group.allGatherObject((String) null, TEXT)
                .doOnError(ignored -> look.run())
                .onErrorComplete()
                .block(LIMIT);
        group.allGatherObject("a", UNREADABLE)
                .doOnError(ignored -> look.run())
                .onErrorComplete()
                .block(LIMIT);

        assertThat(threads).hasSize(3).allMatch(name -> name.startsWith("rcomm-"));
    }

    /** {@return a codec of text that can be changed before it is encoded} */
    private static ObjectCodec<StringBuilder> counting(AtomicInteger encodings) {
        return new ObjectCodec<>() {

            @Override
            public byte[] encode(StringBuilder value) {
                encodings.incrementAndGet();
                return TEXT.encode(value.toString());
            }

            @Override
            public StringBuilder decode(byte[] bytes) {
                return new StringBuilder(TEXT.decode(bytes));
            }
        };
    }

    @Test
    void encoding_happensOnceForEachSubscription_andNotBefore() {
        List<ProcessGroup> groups = world(2);
        AtomicInteger encodings = new AtomicInteger();
        StringBuilder[] values = {new StringBuilder("a"), new StringBuilder("b")};
        ObjectCodec<StringBuilder> codec = counting(encodings);
        List<Mono<String>> calls = groups.stream()
                .map(group -> group.allGatherObject(values[group.rank()], codec).map(all -> String.join("", all)))
                .toList();
        values[0].append(1);

        assertThat(encodings).hasValue(0);
        assertThat(values(groups, group -> calls.get(group.rank()))).containsOnly("a1b");
        assertThat(encodings).hasValue(2);
        values[1].append(2);
        assertThat(values(groups, group -> calls.get(group.rank()))).containsOnly("a1b2");
        assertThat(encodings).hasValue(4);
    }

    @Test
    void manyLargeObjects_leaveNoMemoryBehind() {
        List<ProcessGroup> groups = world(2);
        String large = "x".repeat(8 << 20);
        for (int i = 0; i < 10; i++) {
            assertThat(values(
                            groups, group -> group.allGatherObject(large, TEXT).map(List::size)))
                    .containsOnly(2);
            ObjectEnding.all(
                    groups, LIMIT, group -> group.broadcastObject(large, 0, group.rank() == 0 ? TEXT : UNREADABLE));
        }
    }

    @Tag("smoke")
    @Test
    void cancelledOperation_runsOn() {
        List<ProcessGroup> groups = world(2);
        groups.get(0).allGatherObject("a", TEXT).subscribe().dispose();

        assertThat(groups.get(1).allGatherObject("b", TEXT).block(LIMIT)).containsExactly("a", "b");
        assertThat(values(groups, group -> group.allGatherObject("c", TEXT))).containsOnly(List.of("c", "c"));
    }
}
