package io.reactivecomm.testkit.group;

import static io.reactivecomm.testkit.ObjectEnding.TEXT;
import static io.reactivecomm.testkit.ObjectEnding.UNREADABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.composite.Conversations;
import io.reactivecomm.internal.composite.ObjectExchange;
import io.reactivecomm.testkit.ObjectEnding;
import io.reactivecomm.testkit.WorldContract;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Collectives of objects that are missing, too large, unreadable or forged: who is told, and that the group goes on. */
@SuppressWarnings("NullAway") // Nulls are among the wrong arguments.
public abstract class BadObjectContract extends WorldContract {

    private static <T> List<ObjectEnding<T>> endings(
            List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> operation) {
        return ObjectEnding.all(groups, LIMIT, operation);
    }

    private static <T> List<T> values(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> operation) {
        return ObjectEnding.values(groups, LIMIT, operation);
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
                new Wrong(
                        "null to gather",
                        group -> group.gatherObject(group.rank() == 1 ? null : "a", 0, TEXT),
                        "value=null"),
                new Wrong("null to broadcast", group -> group.broadcastObject((String) null, 1, TEXT), "value=null"),
                new Wrong("null list", group -> group.scatterObject((List<String>) null, 1, TEXT), "objects=null"),
                new Wrong("list too short", group -> group.scatterObject(List.of("a", "b"), 1, TEXT), "objects=2"),
                new Wrong(
                        "null to reduce",
                        group -> group.reduceObject(group.rank() == 1 ? null : "a", 0, String::concat, TEXT),
                        "value=null"),
                new Wrong(
                        "too large",
                        group -> group.allGatherObject("a", group.rank() == 1 ? unwritable(large) : TEXT),
                        "bytes=17825792"),
                new Wrong(
                        "too large to scatter",
                        group -> group.scatterObject(List.of("a", "a", "a"), 1, unwritable(large)),
                        "bytes=17825792"),
                new Wrong(
                        "throws",
                        group -> group.allGatherObject("a", group.rank() == 1 ? unwritable(new byte[0]) : TEXT),
                        "planted"),
                new Wrong("no bytes", group -> group.broadcastObject("a", 1, unwritable(null)), "no bytes"));
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongOnRankOne")
    void objectThatCannotBeSent_isToldToAll(Wrong wrong) {
        List<ProcessGroup> groups = world(3);
        List<ObjectEnding<Object>> endings =
                endings(groups, group -> wrong.call().apply(group).cast(Object.class));

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

        endings(groups, group -> group.broadcastObject("a", 7, TEXT))
                .forEach(each -> each.error(InvalidCallException.class));
        endings(groups, group -> group.gatherObject("a", -1, TEXT))
                .forEach(each -> each.error(InvalidCallException.class));
        endings(groups, group -> group.scatterObject(List.of("a"), 7, TEXT))
                .forEach(each -> each.error(InvalidCallException.class));
        endings(groups, group -> group.reduceObject("a", 7, String::concat, TEXT))
                .forEach(each -> each.error(InvalidCallException.class));
    }

    @Test
    void bytesThatCannotBeRead_nameTheRankTheyCameFrom_whereTheyCannotBeRead() {
        List<ProcessGroup> groups = world(3);
        Function<ProcessGroup, ObjectCodec<String>> codec = group -> group.rank() == 2 ? UNREADABLE : TEXT;

        List<ObjectEnding<List<String>>> gathered =
                endings(groups, group -> group.allGatherObject("a", codec.apply(group)));
        assertThat(gathered.get(0).present()).containsExactly("a", "a", "a");
        assertThat(gathered.get(2).error(InvalidCallException.class))
                .hasMessageContaining("fromRank=0")
                .hasMessageContaining("planted");
        List<ObjectEnding<String>> copies = endings(groups, group -> group.broadcastObject("a", 1, codec.apply(group)));
        assertThat(copies.get(0).present()).isEqualTo("a");
        assertThat(copies.get(2).error(InvalidCallException.class)).hasMessageContaining("fromRank=1");
    }

    @Test
    void recordOfAnotherType_isUnreadable() {
        List<ProcessGroup> groups = world(2);
        List<ObjectEnding<List<Object>>> endings = endings(
                groups,
                group -> group.rank() == 0
                        ? group.allGatherObject(new ObjectContract.Note(0, "a", List.of()), ObjectContract.Note.class)
                                .map(List::copyOf)
                        : group.allGatherObject("b", String.class).map(List::copyOf));

        assertThat(endings.get(0).error(InvalidCallException.class))
                .hasMessageContaining("fromRank=1")
                .hasMessageContaining("Note");
        assertThat(endings.get(1).error(InvalidCallException.class))
                .hasMessageContaining("fromRank=0")
                .hasMessageContaining("String");
    }

    @Test
    void operatorThatThrows_failsTheRoot() {
        List<ProcessGroup> groups = world(2);
        List<ObjectEnding<String>> endings =
                endings(groups, group -> group.reduceObject("a", 0, (one, two) -> null, TEXT));
        assertThat(endings.get(0).error(InvalidCallException.class)).hasMessageContaining("null from its operator");

        endings = endings(
                groups,
                group -> group.reduceObject(
                        "a",
                        0,
                        (one, two) -> {
                            throw new IllegalStateException("planted");
                        },
                        TEXT));
        assertThat(endings.get(0).error(InvalidCallException.class)).hasMessageContaining("planted");
        endings.get(1).present();
    }

    @Tag("smoke")
    @Test
    void differentCollectivesOfObjects_areAMismatch() {
        List<ProcessGroup> groups = world(2);
        List<ObjectEnding<String>> endings = endings(
                groups,
                group -> group.rank() == 0
                        ? group.gatherObject("a", 0, TEXT).map(List::getFirst)
                        : group.reduceObject("b", 0, String::concat, TEXT));

        assertThat(endings.get(0).error(MismatchException.class))
                .hasMessageContaining("object gather")
                .hasMessageContaining("object reduce");
    }

    @Test
    void limitOfTheReceiver_holds_beforeMemoryIsTaken_andIsToldToAll() {
        List<ProcessGroup> groups = world(3);
        Function<ProcessGroup, ObjectExchange> limited =
                group -> new ObjectExchange((Conversations) group, group.rank() == 2 ? 9 : 100);

        List<ObjectEnding<List<String>>> gathered =
                endings(groups, group -> limited.apply(group).allGather("x".repeat(group.rank() == 1 ? 10 : 9), TEXT));
        for (ObjectEnding<List<String>> ending : gathered) {
            assertThat(ending.error(InvalidCallException.class)).hasMessageContaining("fromRank=1, bytes=10, most=9");
        }
        List<ObjectEnding<String>> copies =
                endings(groups, group -> limited.apply(group).broadcast("0123456789", 0, TEXT));
        assertThat(copies.get(2).error(InvalidCallException.class))
                .hasMessageContaining("fromRank=0, bytes=10, most=9");
        assertThat(values(groups, group -> limited.apply(group).broadcast("012345678", 0, TEXT)))
                .containsOnly("012345678");
    }

    /** {@return what a peer does that speaks the protocol of an all-gather of objects by itself} */
    private static Mono<Work> speak(ProcessGroup group, Function<ProcessGroup, Mono<Work>> calls) {
        return group.composite("object all-gather").mono(calls);
    }

    /** A peer that speaks the header by itself: what it announces is refused before memory is taken for it. */
    @ParameterizedTest(name = "length={0}")
    @ValueSource(longs = {-1, Long.MIN_VALUE, (16L << 20) + 1, 1L << 40, Long.MAX_VALUE})
    void lengthThatIsForged_isRefused_andToldToAll(long length) {
        List<ProcessGroup> groups = world(2);
        Tensor seen = closedAfterwards(Tensor.allocate(DType.INT64, 4));
        Tensor none = closedAfterwards(Tensor.of(new long[2]));
        CompletableFuture<List<String>> first =
                groups.get(1).allGatherObject("a", TEXT).toFuture();
        speak(groups.get(0), inside -> inside.allGather(none, seen))
                .onErrorComplete()
                .block(LIMIT);
        assertThat(first).failsWithin(LIMIT);
        Tensor forged = closedAfterwards(Tensor.of(new long[] {seen.toLongArray()[2], length}));
        Tensor byteEach = closedAfterwards(Tensor.allocate(DType.UINT8, 1));
        Tensor other = closedAfterwards(Tensor.allocate(DType.UINT8, 1));
        CompletableFuture<List<String>> honest =
                groups.get(1).allGatherObject("a", TEXT).toFuture();
        CompletableFuture<Outcome> bytes = begin(speak(
                groups.get(0),
                inside -> inside.allGather(forged, seen)
                        .flatMap(work -> inside.allGather(byteEach, List.of(byteEach, other)))));

        assertThat(honest)
                .failsWithin(LIMIT)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(InvalidCallException.class)
                .withMessageContaining("fromRank=0, bytes=" + length);
        end(bytes).error(InvalidCallException.class);
        assertThat(values(groups, group -> group.named("after").allGatherObject("a", TEXT)))
                .containsOnly(List.of("a", "a"));
    }

    @Test
    void otherCallInPlaceOfAnObject_isAMismatch_whereItsNumbersFit() {
        List<ProcessGroup> groups = world(2);
        Tensor two = closedAfterwards(Tensor.of(new long[] {1, 2}));
        Tensor four = closedAfterwards(Tensor.allocate(DType.INT64, 4));
        CompletableFuture<List<String>> honest =
                groups.get(1).allGatherObject("a", TEXT).toFuture();
        speak(groups.get(0), inside -> inside.allGather(two, four))
                .onErrorComplete()
                .block(LIMIT);

        assertThat(honest)
                .failsWithin(LIMIT)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(MismatchException.class)
                .withMessageContaining("no collective of objects");
    }
}
