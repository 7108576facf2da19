package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.ObserverNotes.Kind;
import io.reactivecomm.testkit.ObserverNotes.Note;
import io.reactivecomm.testkit.ThrowingObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** The contract of observers: what they are told of each kind of call, when, and by whom. */
public abstract class ObserverContract extends GroupWorld {

    private static final int MANY = 300;

    private static List<ObserverNotes> observe(List<ProcessGroup> groups) {
        return groups.stream()
                .map(group -> {
                    ObserverNotes notes = new ObserverNotes();
                    group.observe(notes);
                    return notes;
                })
                .toList();
    }

    private Tensor floats(int count) {
        return closedAfterwards(home().take(Tensor.allocate(DType.FLOAT32, count), home().device(0)));
    }

    private static void requireOrder(List<Note> notes) {
        assertThat(notes.getFirst().kind()).isEqualTo(Kind.SUBSCRIBED);
        assertThat(notes.getLast().kind()).isEqualTo(Kind.ENDED);
        assertThat(notes.stream().filter(note -> note.kind() == Kind.ENDED)).hasSize(1);
        assertThat(notes.stream().filter(note -> note.kind() == Kind.SUBSCRIBED))
                .hasSize(1);
        assertThat(notes.stream().filter(note -> note.kind() == Kind.FIRST_BYTE))
                .hasSizeLessThan(2);
        assertThat(notes)
                .allSatisfy(note -> assertThat(note.nanos())
                        .isBetween(notes.getFirst().nanos(), notes.getLast().nanos()));
    }

    @Tag("smoke")
    @Test
    void collective_isToldFromItsSubscriptionToItsEnd() {
        List<ProcessGroup> world = world(3);
        List<ObserverNotes> notes = observe(world);
        List<Work> works = all(
                world,
                group -> group.named("gradients")
                        .allReduce(floats(1000), ReduceOp.SUM)
                        .contextWrite(context -> context.put("key", "value")));
        for (int rank = 0; rank < 3; rank++) {
            ObservedCall call = notes.get(rank).call("all-reduce");
            List<Note> told = notes.get(rank).of(call);
            requireOrder(told);
            assertThat(((ContextView) Objects.requireNonNull(told.getFirst().detail())).<String>get("key"))
                    .isEqualTo("value");
            assertThat(told.getLast().detail()).isNull();
            assertThat(call.rank()).isEqualTo(rank);
            assertThat(call.group()).isZero();
            assertThat(call.groupSize()).isEqualTo(3);
            assertThat(call.name()).isEqualTo("gradients");
            assertThat(call.label()).isEqualTo("gradients#0");
            assertThat(call.ticket()).hasValue(0);
            assertThat(call.ordinal()).isEqualTo(1);
            assertThat(call.step()).isEmpty();
            assertThat(call.composite()).isEmpty();
            assertThat(call.isComposite()).isFalse();
            assertThat(call.type()).isEqualTo("FLOAT32");
            assertThat(call.count()).isEqualTo(1000);
            assertThat(call.byteSize()).isEqualTo(4000);
            assertThat(call.reduction()).isEqualTo("SUM");
            assertThat(call.backend()).isEqualTo(works.get(rank).backend());
            assertThat(call.peer()).isEqualTo(ObservedCall.NO_PEER);
            requireAccount(works.get(rank), told, "gradients", 3);
        }
    }

    /** One turn of a loop begins many of them, the last of which were subscribed to while it was at the first. */
    @Test
    void callsThatAreSubscribedToAtOnce_haveTheirPhasesOneAfterTheOther() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        Flux.fromIterable(world)
                .flatMap(group -> Flux.range(0, MANY).flatMap(i -> group.barrier(), MANY))
                .doOnNext(work -> requireNoneNegative(work.phases().orElseThrow()))
                .then()
                .block(LIMIT);
        notes.forEach(each -> each.calls().forEach(call -> requireOrder(each.of(call))));
    }

    private static void requireNoneNegative(CallPhases phases) {
        assertThat(Stream.of(phases.queued(), phases.matching(), phases.wire(), phases.fold())
                        .flatMapToLong(OptionalLong::stream))
                .allSatisfy(nanos -> assertThat(nanos).isNotNegative());
    }

    private void requireAccount(Work work, List<Note> told, String name, int groupSize) {
        CallPhases phases = work.phases().orElseThrow();
        assertThat(work.name()).isEqualTo(name);
        assertThat(work.groupSize()).isEqualTo(groupSize);
        assertThat(phases).isEqualTo(told.getFirst().call().phases());
        assertThat(phases.queued()).isPresent();
        if (areOverLinks()) {
            assertThat(told.getFirst().call().algorithm()).isEqualTo(work.algorithm());
            assertThat(told).extracting(Note::kind).contains(Kind.MATCHED, Kind.FIRST_BYTE, Kind.LAST_BYTE);
            assertThat(told.getFirst().call().payloadBytes()).isPresent();
            long sum = phases.queued().getAsLong()
                    + phases.matching().getAsLong()
                    + phases.wire().getAsLong()
                    + phases.fold().getAsLong();
            assertThat(sum).isEqualTo(told.getLast().nanos() - told.getFirst().nanos());
        } else {
            assertThat(told.getFirst().call().payloadBytes()).isEmpty();
            assertThat(phases.wire()).isEmpty();
        }
    }

    /** A rank of three that all exchange something with each other hears of both others, once each. */
    @Test
    void collective_isToldOfEachPeerThatJoins() {
        List<ProcessGroup> world = world(3);
        List<ObserverNotes> notes = observe(world);
        all(world, group -> group.allReduce(floats(8), ReduceOp.SUM));
        if (!areOverLinks()) {
            return;
        }
        for (int rank = 0; rank < 3; rank++) {
            int own = rank;
            assertThat(notes.get(rank).of(Kind.MATCHED, note -> true))
                    .extracting(Note::detail)
                    .containsExactlyInAnyOrder(IntStream.range(0, 3)
                            .filter(peer -> peer != own)
                            .boxed()
                            .toArray());
        }
    }

    /** An opening to each other rank; large tensors need announcements or grants for each piece besides. */
    @Test
    void collective_countsTheHeadersOfItsFrames() {
        List<ProcessGroup> world = world(3);
        List<ObserverNotes> notes = observe(world);
        all(world, group -> group.named("small").broadcast(floats(3), 0));
        all(world, group -> group.named("large").broadcast(floats(100_000), 0));
        for (ObserverNotes each : notes) {
            OptionalLong small = each.calls().getFirst().headerBytes();
            OptionalLong large = each.calls().getLast().headerBytes();
            assertThat(small.isPresent()).isEqualTo(haveHeaders());
            assertThat(large.isPresent()).isEqualTo(haveHeaders());
            if (haveHeaders()) {
                assertThat(small.getAsLong()).isBetween((long) FrameCodec.HEADER_BYTES, 1000L);
                assertThat(large.getAsLong()).isGreaterThan(small.getAsLong());
            }
        }
    }

    /** Who asks for it hears of places in this file, and nobody else does. */
    @Test
    void callSite_isThereWhereSomebodyAsks() {
        List<ProcessGroup> world = world(2);
        ObserverNotes asking = new ObserverNotes(true);
        ObserverNotes silent = new ObserverNotes();
        world.get(1).observe(silent);
        Disposable observing = world.get(0).observe(asking);
        all(
                world,
                group -> group.rank() == 0
                        ? group.allReduce(floats(2), ReduceOp.SUM)
                        : group.allReduce(floats(2), ReduceOp.SUM));
        all(world, group -> group.rank() == 0 ? group.send(floats(3), 1, 7) : group.receive(floats(3), 0, 7));
        all(world, group -> group.composite("both").mono(inside -> inside.barrier()));
        assertThat(asking.calls())
                .hasSize(4)
                .allSatisfy(call -> assertThat(call.callSite()).startsWith(ObserverContract.class.getName() + "."));
        assertThat(asking.calls()).extracting(ObservedCall::callSite).doesNotHaveDuplicates();
        assertThat(silent.calls())
                .hasSize(4)
                .allSatisfy(call -> assertThat(call.callSite()).isEmpty());
        observing.dispose();
        world.get(0).observe(silent);
        all(world, ProcessGroup::barrier);
        assertThat(silent.calls())
                .allSatisfy(call -> assertThat(call.callSite()).isEmpty());
    }

    @Test
    void end_isToldBeforeTheSubscriberIs() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        List<Boolean> seen = new ArrayList<>();
        all(
                world,
                group -> group.barrier().doOnNext(work -> {
                    synchronized (seen) {
                        seen.add(notes.get(group.rank())
                                .of(Kind.ENDED, note -> true)
                                .isEmpty());
                    }
                }));
        assertThat(seen).containsExactly(false, false);
    }

    @Test
    void call_thatNobodyObserves_hasNoPhases() {
        List<ProcessGroup> world = world(2);
        assertThat(all(world, group -> group.named("quiet").barrier())).allSatisfy(work -> {
            assertThat(work.phases()).isEmpty();
            assertThat(work.groupSize()).isEqualTo(2);
            assertThat(work.name()).isEqualTo("quiet");
        });
    }

    @Test
    void message_hasItsPeer_andItsNumberAtTheEnd() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        all(world, group -> group.rank() == 0 ? group.send(floats(3), 1, 7) : group.receive(floats(3), 0, 7));
        for (int rank = 0; rank < 2; rank++) {
            ObservedCall call = notes.get(rank).calls().getFirst();
            requireOrder(notes.get(rank).of(call));
            assertThat(call.operation()).isEqualTo(rank == 0 ? "send" : "receive");
            assertThat(call.peer()).isEqualTo(1 - rank);
            assertThat(call.ticket()).isPresent();
            assertThat(call.byteSize()).isEqualTo(12);
        }
    }

    /** Something travels for each of them, but nothing of a tensor's. */
    @Test
    void call_withoutElements_hasNoFirstByte() {
        List<ProcessGroup> world = world(3);
        List<ObserverNotes> notes = observe(world);
        all(world, ProcessGroup::barrier);
        all(world, group -> group.allReduce(floats(0), ReduceOp.SUM));
        all(
                world.subList(0, 2),
                group -> group.rank() == 0 ? group.send(floats(0), 1, 7) : group.receive(floats(0), 0, 7));
        for (ObserverNotes each : notes) {
            assertThat(each.all)
                    .extracting(Note::kind)
                    .contains(Kind.ENDED)
                    .doesNotContain(Kind.FIRST_BYTE, Kind.LAST_BYTE);
            assertThat(each.calls())
                    .allSatisfy(
                            call -> assertThat(call.payloadBytes().orElse(0)).isZero());
        }
    }

    @Test
    void composite_isTold_andEachPartWithIt() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        all(
                world,
                group -> group.named("step")
                        .composite("both")
                        .mono(inside -> inside.barrier().then(inside.allReduce(floats(4), ReduceOp.SUM))));
        for (ObserverNotes each : notes) {
            ObservedCall composite = each.call("both");
            requireOrder(each.of(composite));
            assertThat(composite.isComposite()).isTrue();
            assertThat(composite.count()).isEqualTo(ObservedCall.NO_COUNT);
            assertThat(composite.backend()).isEmpty();
            for (String part : List.of("barrier", "all-reduce")) {
                requireOrder(each.of(each.call(part)));
                assertThat(each.call(part).composite()).isEqualTo("step#0");
            }
            assertThat(each.all.getLast().call()).isSameAs(composite);
        }
    }

    @Test
    void composite_whoseBodyFails_isToldWithItsError() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        IllegalStateException thrown = new IllegalStateException("on purpose");
        List<CompletedEnd> ends = ends(
                world,
                group -> group.composite("bad")
                        .mono(inside -> group.rank() == 0 ? Mono.error(thrown) : inside.barrier()));
        for (int rank = 0; rank < 2; rank++) {
            Note end = notes.get(rank).of(notes.get(rank).call("bad")).getLast();
            assertThat(end.kind()).isEqualTo(Kind.ENDED);
            assertThat(end.detail()).isInstanceOf(ends.get(rank).error().getClass());
        }
    }

    /** The end of a call that failed. */
    private record CompletedEnd(Throwable error) {}

    private static List<CompletedEnd> ends(List<ProcessGroup> groups, Function<ProcessGroup, Mono<Work>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> call.apply(group)
                        .<CompletedEnd>map(work -> new CompletedEnd(new AssertionError("succeeded: " + work)))
                        .onErrorResume(error -> Mono.just(new CompletedEnd(error))))
                .collectList()
                .block(LIMIT));
    }

    @Test
    void call_thatIsRefused_isToldWithTheSubscribersError() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        List<CompletedEnd> ends = ends(world, group -> group.broadcast(floats(2), 9));
        assertThat(ends).allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class));
        for (ObserverNotes each : notes) {
            assertThat(each.all)
                    .extracting(Note::kind)
                    .startsWith(Kind.SUBSCRIBED)
                    .endsWith(Kind.ENDED);
            assertThat(each.all.getLast().detail()).isInstanceOf(InvalidCallException.class);
        }
    }

    @Test
    void subscriberThatCancels_takesNoEndFromObservers() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = observe(world);
        world.get(0).barrier().subscribe().dispose();
        assertThat(end(begin(world.get(1).barrier())).work()).isNotNull();
        requireTold(world);
        requireOrder(notes.getFirst().of(notes.getFirst().calls().getFirst()));
    }

    @Test
    void group_isObservedAlone_andUntilThatIsDisposedOf() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> pair = group(world, 2, 0);
        ObserverNotes notes = new ObserverNotes();
        Disposable observing = pair.getFirst().observe(notes);
        requireTogether(world);
        assertThat(notes.all).isEmpty();
        all(pair, ProcessGroup::barrier);
        assertThat(notes.calls()).extracting(ObservedCall::groupSize).containsExactly(2);
        observing.dispose();
        assertThat(observing.isDisposed()).isTrue();
        int before = notes.all.size();
        all(pair, ProcessGroup::barrier);
        assertThat(notes.all).hasSize(before);
    }

    /** Whatever it is told of. */
    @Test
    void observerThatThrows_isNobodyElsesMatter_andHearsNothingMore() {
        for (Kind kind : Kind.values()) {
            List<ProcessGroup> world = world(2);
            ThrowingObserver thrower = new ThrowingObserver(kind);
            world.forEach(group -> group.observe(thrower));
            List<ObserverNotes> others = observe(world);
            for (int i = 0; i < 2; i++) {
                all(world, group -> group.allReduce(floats(5), ReduceOp.SUM));
            }
            others.forEach(each -> assertThat(each.of(Kind.ENDED, note -> note.detail() == null))
                    .hasSize(2));
            boolean isTold = areOverLinks() || kind == Kind.SUBSCRIBED || kind == Kind.ENDED;
            assertThat(thrower.count()).as("%s", kind).isEqualTo(isTold ? world.size() : 0);
        }
    }

    @Tag("smoke")
    @Test
    void abort_failsTheGroup_andIsToldBehindItsCalls() {
        List<ProcessGroup> world = world(2);
        List<ProcessGroup> made = group(world, 0, 1);
        List<ObserverNotes> notes = observe(made);
        made.get(0).barrier().subscribe(null, error -> {});
        made.get(1).abort("diverged");
        CommEvent event = notes.getFirst().event(LIMIT.toSeconds());
        assertThat(event).isInstanceOfSatisfying(CommEvent.GroupFailed.class, failed -> {
            assertThat(failed.cause()).contains("reason=diverged");
            assertThat(failed.rank()).isZero();
        });
        requireTogether(world);
        assertThat(notes.getFirst().of(Kind.ENDED, note -> note.detail() instanceof GroupClosedException))
                .hasSize(1);
    }

    @Test
    void close_isNoFailureOfTheGroup() {
        List<ProcessGroup> world = world(2);
        List<ProcessGroup> made = group(world, 0, 1);
        List<ObserverNotes> notes = observe(made);
        made.forEach(ProcessGroup::close);
        requireTogether(world);
        notes.forEach(each -> assertThat(each.events).isEmpty());
    }
}
