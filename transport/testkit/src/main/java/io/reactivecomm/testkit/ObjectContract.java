package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.collective.Conversations;
import io.reactivecomm.composite.ObjectExchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Collectives of objects: what they give, and what becomes of objects that are missing, too large or not what they should be. */
@SuppressWarnings("NullAway") // Nulls are among the wrong arguments.
public abstract class ObjectContract extends WorldContract {

    /** What ranks tell each other: of different lengths, and of several pieces for the last rank. */
    public record Note(int rank, String text, List<Double> numbers) {

        static Note of(int rank, int size) {
            return new Note(rank, "x".repeat(rank == size - 1 ? 700_000 : rank * 31), List.of(rank / 3.0, Double.NaN));
        }

        static List<Note> all(int size) {
            return IntStream.range(0, size).mapToObj(rank -> of(rank, size)).toList();
        }
    }

    /** Text that may be empty, and takes no bytes then. */
    private static final ObjectCodec<String> TEXT = new ObjectCodec<>() {

        @Override
        public byte[] encode(String value) {
            return value.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    };

    final Stream<Integer> sizes() {
        return Stream.of(1, 2, 3, 5, 8);
    }

    /** How a rank's operation ended: its value, null if it had none, or its error. */
    private record Ending<T>(T value, Throwable error) {

        T present() {
            assertThat(error).isNull();
            return value;
        }

        <E extends Throwable> E error(Class<E> type) {
            assertThat(error).as("the error of an operation that gave %s", value).isInstanceOf(type);
            return type.cast(error);
        }
    }

    private static <T> CompletableFuture<Ending<T>> start(Mono<T> operation) {
        return operation.map(value -> new Ending<>(value, null))
                .defaultIfEmpty(new Ending<>(null, null))
                .onErrorResume(error -> Mono.just(new Ending<>(null, error)))
                .toFuture();
    }

    private static <T> List<Ending<T>> endings(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> operation) {
        List<CompletableFuture<Ending<T>>> started =
                groups.stream().map(operation).toList().stream().map(ObjectContract::start).toList();
        return started.stream().map(each -> Mono.fromFuture(each).block(LIMIT)).toList();
    }

    private static <T> List<T> values(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> operation) {
        List<T> values = new ArrayList<>();
        endings(groups, operation).forEach(ending -> values.add(ending.present()));
        return values;
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void allGatherObject_ofRecords_givesAllInRankOrder(int size) {
        List<List<Note>> gathered = values(world(size), group -> group.allGatherObject(Note.of(group.rank(), size), Note.class));

        assertThat(gathered).hasSize(size).containsOnly(Note.all(size));
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void broadcastObject_fromEachRoot_givesTheRootsToAll(int size) {
        List<ProcessGroup> groups = world(size);
        for (int root = 0; root < size; root++) {
            int from = root;
            List<Note> copies = values(
                    groups, group -> group.broadcastObject(group.rank() == from ? Note.of(from, size) : null, from, Note.class));

            assertThat(copies).hasSize(size).containsOnly(Note.of(root, size));
        }
    }

    @ParameterizedTest(name = "size={0}")
    @MethodSource("sizes")
    void gatherObject_toEachRoot_givesAllThere_andNoneElsewhere(int size) {
        List<ProcessGroup> groups = world(size);
        for (int root = 0; root < size; root++) {
            int to = root;
            List<List<Note>> gathered = values(groups, group -> group.gatherObject(Note.of(group.rank(), size), to, Note.class));

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
                    groups, group -> group.scatterObject(group.rank() == from ? Note.all(size) : List.of(), from, Note.class));

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
            List<String> results = values(groups, group -> group.reduceObject("" + group.rank(), to, String::concat, String.class));

            for (int rank = 0; rank < size; rank++) {
                assertThat(results.get(rank)).isEqualTo(rank == root ? folded : null);
            }
        }
    }

    @Test
    void objects_ofNoBytes_areObjects() {
        List<ProcessGroup> groups = world(3);

        assertThat(values(groups, group -> group.allGatherObject("", TEXT))).containsOnly(List.of("", "", ""));
        assertThat(values(groups, group -> group.allGatherObject(group.rank() == 1 ? "a" : "", TEXT))).containsOnly(List.of("", "a", ""));
        assertThat(values(groups, group -> group.broadcastObject("", 1, TEXT))).containsOnly("");
        assertThat(values(groups, group -> group.gatherObject("", 2, TEXT)).getLast()).containsExactly("", "", "");
        assertThat(values(groups, group -> group.scatterObject(List.of("a", "", "c"), 1, TEXT))).containsExactly("a", "", "c");
        assertThat(values(groups, group -> group.reduceObject("", 0, String::concat, TEXT))).containsExactly("", null, null);
    }

    @Test
    void signal_comesOnALoop_alsoAnError() {
        for (ProcessGroup group : world(1)) {
            List<Boolean> nonBlocking = new ArrayList<>();
            Function<Object, Object> look = ignored -> nonBlocking.add(Schedulers.isInNonBlockingThread());
            group.allGatherObject("a", TEXT).map(look).block(LIMIT);
            group.allGatherObject((String) null, TEXT).map(look).onErrorResume(error -> Mono.just(look.apply(error))).block(LIMIT);

            assertThat(nonBlocking).containsExactly(true, true);
        }
    }

    @Test
    void encoding_happensOnceForEachSubscription_andNotBefore() {
        List<ProcessGroup> groups = world(2);
        AtomicInteger encodings = new AtomicInteger();
        StringBuilder[] values = {new StringBuilder("a"), new StringBuilder("b")};
        ObjectCodec<StringBuilder> codec = new ObjectCodec<>() {

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
            assertThat(values(groups, group -> group.allGatherObject(large, TEXT).map(List::size))).containsOnly(2);
            endings(groups, group -> group.broadcastObject(large, 0, group.rank() == 0 ? TEXT : unreadable()));
        }
    }

    private static ObjectCodec<String> unreadable() {
        return new ObjectCodec<>() {

            @Override
            public byte[] encode(String value) {
                return TEXT.encode(value);
            }

            @Override
            public String decode(byte[] bytes) {
                throw new IllegalStateException("planted");
            }
        };
    }

    @Test
    void cancelledOperation_runsOn() {
        List<ProcessGroup> groups = world(2);
        groups.get(0).allGatherObject("a", TEXT).subscribe().dispose();

        assertThat(groups.get(1).allGatherObject("b", TEXT).block(LIMIT)).containsExactly("a", "b");
        assertThat(values(groups, group -> group.allGatherObject("c", TEXT))).containsOnly(List.of("c", "c"));
    }

    /** An operation that one rank gets wrong. */
    public record Wrong(String name, Function<ProcessGroup, Mono<?>> call, String text) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static ObjectCodec<String> unwritable(byte[] bytes) {
        return new ObjectCodec<>() {

            @Override
            public byte[] encode(String value) {
                if (bytes == null || bytes.length > 0) {
                    return bytes;
                }
                throw new StackOverflowError("planted");
            }

            @Override
            public String decode(byte[] bytes) {
                return TEXT.decode(bytes);
            }
        };
    }

    final Stream<Wrong> wrongOnRankOne() {
        byte[] large = new byte[17 << 20];
        return Stream.of(
                new Wrong("null", group -> group.allGatherObject(group.rank() == 1 ? null : "a", TEXT), "value=null"),
                new Wrong("null to gather", group -> group.gatherObject(group.rank() == 1 ? null : "a", 0, TEXT), "value=null"),
                new Wrong("null to broadcast", group -> group.broadcastObject((String) null, 1, TEXT), "value=null"),
                new Wrong("null list", group -> group.scatterObject((List<String>) null, 1, TEXT), "objects=null"),
                new Wrong("list too short", group -> group.scatterObject(List.of("a", "b"), 1, TEXT), "objects=2"),
                new Wrong("null to reduce", group -> group.reduceObject(group.rank() == 1 ? null : "a", 0, String::concat, TEXT), "value=null"),
                new Wrong("too large", group -> group.allGatherObject("a", group.rank() == 1 ? unwritable(large) : TEXT), "bytes=17825792"),
                new Wrong("too large to scatter", group -> group.scatterObject(List.of("a", "a", "a"), 1, unwritable(large)), "bytes=17825792"),
                new Wrong("throws", group -> group.allGatherObject("a", group.rank() == 1 ? unwritable(new byte[0]) : TEXT), "planted"),
                new Wrong("no bytes", group -> group.broadcastObject("a", 1, unwritable(null)), "no bytes"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongOnRankOne")
    void objectThatCannotBeSent_isToldToAll(Wrong wrong) {
        List<ProcessGroup> groups = world(3);
        List<Ending<Object>> endings = endings(groups, group -> wrong.call().apply(group).cast(Object.class));

        for (int rank : List.of(0, 1)) {
            assertThat(endings.get(rank).error(InvalidCallException.class))
                    .hasMessageContaining(wrong.text())
                    .hasMessageContaining("rank=1");
        }
        assertThat(values(groups, group -> group.allGatherObject("a", TEXT))).containsOnly(List.of("a", "a", "a"));
    }

    @Test
    void rootOutsideTheGroup_isToldToAll() {
        List<ProcessGroup> groups = world(2);

        endings(groups, group -> group.broadcastObject("a", 7, TEXT)).forEach(each -> each.error(InvalidCallException.class));
        endings(groups, group -> group.gatherObject("a", -1, TEXT)).forEach(each -> each.error(InvalidCallException.class));
        endings(groups, group -> group.scatterObject(List.of("a"), 7, TEXT)).forEach(each -> each.error(InvalidCallException.class));
        endings(groups, group -> group.reduceObject("a", 7, String::concat, TEXT)).forEach(each -> each.error(InvalidCallException.class));
    }

    @Test
    void bytesThatCannotBeRead_nameTheRankTheyCameFrom_whereTheyCannotBeRead() {
        List<ProcessGroup> groups = world(3);
        Function<ProcessGroup, ObjectCodec<String>> codec = group -> group.rank() == 2 ? unreadable() : TEXT;

        List<Ending<List<String>>> gathered = endings(groups, group -> group.allGatherObject("a", codec.apply(group)));
        assertThat(gathered.get(0).present()).containsExactly("a", "a", "a");
        assertThat(gathered.get(2).error(InvalidCallException.class)).hasMessageContaining("fromRank=0").hasMessageContaining("planted");
        List<Ending<String>> copies = endings(groups, group -> group.broadcastObject("a", 1, codec.apply(group)));
        assertThat(copies.get(0).present()).isEqualTo("a");
        assertThat(copies.get(2).error(InvalidCallException.class)).hasMessageContaining("fromRank=1");
    }

    @Test
    void recordOfAnotherType_isUnreadable() {
        List<ProcessGroup> groups = world(2);
        List<Ending<List<Object>>> endings = endings(groups, group -> group.rank() == 0
                ? group.allGatherObject(new Note(0, "a", List.of()), Note.class).map(List::copyOf)
                : group.allGatherObject("b", String.class).map(List::copyOf));

        assertThat(endings.get(0).error(InvalidCallException.class)).hasMessageContaining("fromRank=1").hasMessageContaining("Note");
        assertThat(endings.get(1).error(InvalidCallException.class)).hasMessageContaining("fromRank=0").hasMessageContaining("String");
    }

    @Test
    void operatorThatThrows_failsTheRoot() {
        List<ProcessGroup> groups = world(2);
        List<Ending<String>> endings = endings(groups, group -> group.reduceObject("a", 0, (one, two) -> null, TEXT));
        assertThat(endings.get(0).error(InvalidCallException.class)).hasMessageContaining("null from its operator");

        endings = endings(groups, group -> group.reduceObject("a", 0, (one, two) -> {
            throw new IllegalStateException("planted");
        }, TEXT));
        assertThat(endings.get(0).error(InvalidCallException.class)).hasMessageContaining("planted");
        endings.get(1).present();
    }

    @Test
    void differentCollectivesOfObjects_areAMismatch() {
        List<ProcessGroup> groups = world(2);
        List<Ending<String>> endings = endings(groups, group -> group.rank() == 0
                ? group.gatherObject("a", 0, TEXT).map(List::getFirst)
                : group.reduceObject("b", 0, String::concat, TEXT));

        assertThat(endings.get(0).error(MismatchException.class)).hasMessageContaining("object gather").hasMessageContaining("object reduce");
    }

    @Test
    void limitOfTheReceiver_holds_beforeMemoryIsTaken_andIsToldToAll() {
        List<ProcessGroup> groups = world(3);
        Function<ProcessGroup, ObjectExchange> limited = group -> new ObjectExchange((Conversations) group, group.rank() == 2 ? 9 : 100);

        for (Ending<List<String>> ending : endings(groups, group -> limited.apply(group).allGather("x".repeat(group.rank() == 1 ? 10 : 9), TEXT))) {
            assertThat(ending.error(InvalidCallException.class)).hasMessageContaining("fromRank=1, bytes=10, most=9");
        }
        List<Ending<String>> copies = endings(groups, group -> limited.apply(group).broadcast("0123456789", 0, TEXT));
        assertThat(copies.get(2).error(InvalidCallException.class)).hasMessageContaining("fromRank=0, bytes=10, most=9");
        assertThat(values(groups, group -> limited.apply(group).broadcast("012345678", 0, TEXT))).containsOnly("012345678");
    }
}
