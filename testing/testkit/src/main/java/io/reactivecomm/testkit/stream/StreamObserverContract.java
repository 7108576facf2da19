package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.ObserverNotes.Kind;
import io.reactivecomm.testkit.ObserverNotes.Note;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of observers and streams: each end is one thing with a beginning and an end, and knows its messages. */
public abstract class StreamObserverContract extends GroupWorld {

    private static final int TAG = 7;

    private Flux<Tensor> tensors(int count) {
        return Flux.range(0, count)
                .map(i -> closedAfterwards(home().take(Tensor.allocate(DType.INT32, 100), home().device(0))));
    }

    private static List<ObserverNotes> observe(List<ProcessGroup> groups) {
        return groups.stream()
                .map(group -> {
                    ObserverNotes notes = new ObserverNotes();
                    group.observe(notes);
                    return notes;
                })
                .toList();
    }

    /** Runs a stream from rank 1 to rank 0. {@return why each end failed} */
    private List<Throwable> stream(
            List<ProcessGroup> groups, Flux<Tensor> sent, Function<Flux<Tensor>, Flux<Tensor>> read, String name) {
        return Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> ended(
                                group.rank() == 1
                                        ? group.named(name).sendAll(sent, 0, TAG)
                                        : read.apply(group.named(name)
                                                .receiveAll(1, TAG)
                                                .doOnNext(Tensor::close))),
                        groups.size())
                .collectList()
                .blockOptional(LIMIT)
                .orElseThrow();
    }

    private static final Throwable NONE = new Throwable("none");

    private static Mono<Throwable> ended(Flux<Tensor> end) {
        return end.then(Mono.just(NONE)).onErrorResume(Mono::just);
    }

    /** The last messages follow after the subscribers have been told. */
    private static void settle(List<ProcessGroup> groups) {
        requireTold(groups);
        requireTold(groups);
    }

    private static @Nullable Object end(ObserverNotes notes, ObservedCall call) {
        List<Note> told = notes.of(call);
        assertThat(told)
                .extracting(Note::kind)
                .startsWith(Kind.SUBSCRIBED)
                .endsWith(Kind.ENDED)
                .hasSize(2);
        return told.getLast().detail();
    }

    @Tag("smoke")
    @Test
    void stream_isOneThing_andItsMessagesAreItsParts() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        assertThat(stream(world, tensors(3), Function.identity(), "weights")).containsOnly(NONE);
        settle(world);
        for (int rank = 0; rank < 2; rank++) {
            ObservedCall stream = notes.get(rank).call(rank == 1 ? "stream send" : "stream receive");
            assertThat(end(notes.get(rank), stream)).isNull();
            assertThat(stream.isComposite()).isTrue();
            assertThat(stream.name()).isEqualTo("weights");
            assertThat(stream.label()).isEqualTo("weights.stream#0[1→0, tag=7]");
            assertThat(stream.ticket()).hasValue(0);
            assertThat(stream.peer()).isEqualTo(1 - rank);
            assertThat(stream.composite()).isEmpty();
            List<ObservedCall> parts = notes.get(rank).calls().stream()
                    .filter(call -> !call.composite().isEmpty())
                    .toList();
            assertThat(parts).hasSizeGreaterThan(6).allSatisfy(part -> {
                assertThat(part.composite()).isEqualTo(stream.label());
                assertThat(part.name()).isEqualTo("weights");
                assertThat(part.label()).startsWith("weights.stream#0.").doesNotContain("\u0001");
                assertThat(part.operation()).isIn("send", "receive");
            });
            assertThat(parts).anySatisfy(part -> assertThat(part.byteSize()).isEqualTo(400));
        }
    }

    @Test
    void secondStream_andUnnamedOne_haveNumbersOfTheirOwn() {
        List<ProcessGroup> world = world(2);
        stream(world, tensors(1), Function.identity(), "");
        List<ObserverNotes> notes = observe(world);
        stream(world, tensors(1), Function.identity(), "");
        settle(world);
        assertThat(notes.get(0).call("stream receive").label()).isEqualTo("stream#1[1→0, tag=7]");
        assertThat(notes.get(0).call("stream receive").name()).isEmpty();
    }

    @Test
    void sourceThatFails_failsTheStream() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        IllegalStateException fault = new IllegalStateException("on purpose");
        List<Throwable> ends = stream(world, tensors(1).concatWith(Flux.error(fault)), Function.identity(), "bad");
        settle(world);
        assertThat(end(notes.get(1), notes.get(1).call("stream send")))
                .isSameAs(ends.get(1))
                .isSameAs(fault);
        assertThat(end(notes.get(0), notes.get(0).call("stream receive")))
                .isSameAs(ends.get(0))
                .isInstanceOf(CommException.class);
    }

    @Test
    void receiverThatHasEnough_isNoFailure() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        assertThat(stream(world, tensors(9), received -> received.take(2), "enough"))
                .containsOnly(NONE);
        settle(world);
        assertThat(notes.get(1).of(notes.get(1).call("stream send")))
                .last()
                .extracting(Note::detail)
                .isNull();
        assertThat(notes.get(0).of(notes.get(0).call("stream receive")))
                .last()
                .extracting(Note::kind, Note::detail)
                .containsExactly(Kind.ENDED, null);
    }

    @Test
    void context_reachesTheStream_andItsMessages() {
        List<ProcessGroup> world = world(2);
        ObserverNotes notes = new ObserverNotes();
        Flux<Tensor> sent =
                world.get(1).sendAll(tensors(2), 0, TAG).contextWrite(context -> ContextObservers.put(context, notes));
        Flux.merge(sent, world.get(0).receiveAll(1, TAG).doOnNext(Tensor::close))
                .blockLast(LIMIT);
        settle(world);
        assertThat(notes.calls().getFirst().operation()).isEqualTo("stream send");
        assertThat(notes.calls()).hasSizeGreaterThan(5);
    }
}
