package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Part;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.ObserverNotes.Kind;
import io.reactivecomm.testkit.ObserverNotes.Note;
import io.reactivecomm.testkit.ThrowingObserver;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The contract of observers that come with a view, or with Reactor's Context: which calls they hear of. */
public abstract class CarriedObserverContract extends GroupWorld {

    private Tensor floats(int count) {
        return closedAfterwards(home().take(Tensor.allocate(DType.FLOAT32, count), home().device(0)));
    }

    /** Runs that on all ranks. {@return what the first rank's observer in the Context has heard} */
    private static ObserverNotes heard(List<ProcessGroup> groups, Function<ProcessGroup, Flux<?>> program) {
        ObserverNotes notes = new ObserverNotes();
        Flux.fromIterable(groups)
                .flatMap(
                        group -> {
                            Flux<?> calls = program.apply(group);
                            return group.rank() == 0
                                    ? calls.contextWrite(context -> ContextObservers.put(context, notes))
                                    : calls;
                        },
                        groups.size())
                .then()
                .block(LIMIT);
        return notes;
    }

    private static List<String> operations(ObserverNotes notes) {
        return notes.calls().stream().map(ObservedCall::operation).toList();
    }

    private static void requireEnded(ObserverNotes notes) {
        assertThat(notes.of(Kind.ENDED, note -> note.detail() == null)).hasSameSizeAs(notes.calls());
    }

    @Tag("smoke")
    @Test
    void view_isHeard_andItsViewsAndParts_butNobodyElse() {
        List<ProcessGroup> world = world(2);
        ObserverNotes notes = new ObserverNotes();
        List<ProcessGroup> views = world.stream()
                .map(group -> group.rank() == 0 ? group.observedBy(notes) : group)
                .toList();
        all(world, ProcessGroup::barrier);
        assertThat(notes.all).isEmpty();
        all(views, group -> group.named("x").timeout(LIMIT).priority(3).allReduce(floats(3), ReduceOp.SUM));
        all(
                views,
                group ->
                        group.composite("both").mono(inside -> inside.named("y").barrier()));
        Flux.fromIterable(views)
                .flatMap(group -> group.allGatherObject("a", String.class))
                .blockLast(LIMIT);
        assertThat(operations(notes))
                .containsExactly("all-reduce", "both", "barrier", "object all-gather", "all-gather", "all-gather");
        requireEnded(notes);
        assertThat(notes.calls())
                .allSatisfy(call -> assertThat(call.worldSize()).hasValue(2));
        int before = notes.all.size();
        requireTogether(group(views, 1, 0));
        assertThat(notes.calls().stream().filter(call -> call.group() != 0)).isEmpty();
        assertThat(notes.all.size()).isGreaterThan(before);
    }

    @Test
    void observerOfAGroupAndItsView_hearsOnce_andTwoOfViewsHearBoth() {
        List<ProcessGroup> world = world(2);
        ObserverNotes one = new ObserverNotes();
        ObserverNotes other = new ObserverNotes();
        world.getFirst().observe(one);
        all(
                world,
                group -> (group.rank() == 0
                                ? group.observedBy(one).observedBy(other).observedBy(other)
                                : group)
                        .barrier()
                        .contextWrite(context -> group.rank() == 0 ? ContextObservers.put(context, one) : context));
        assertThat(operations(one)).containsExactly("barrier");
        assertThat(operations(other)).containsExactly("barrier");
    }

    @Test
    void context_isHeard_throughOperatorsOfAnyOrder() {
        List<ProcessGroup> world = world(2);
        ObserverNotes notes = heard(
                world,
                group -> group.allReduce(floats(4), ReduceOp.SUM)
                        .map(work -> 1)
                        .publishOn(Schedulers.parallel())
                        .flatMap(one -> group.barrier())
                        .repeat(1)
                        .concatMap(Mono::just)
                        .subscribeOn(Schedulers.boundedElastic()));
        assertThat(operations(notes)).containsExactly("all-reduce", "barrier", "all-reduce", "barrier");
        requireEnded(notes);
    }

    @Test
    void context_thatAnOperatorDrops_isNotHeard() {
        List<ProcessGroup> world = world(2);
        ObserverNotes notes = heard(
                world,
                group -> Mono.create(sink -> group.barrier().subscribe(sink::success, sink::error))
                        .flux());
        assertThat(notes.all).isEmpty();
    }

    @Test
    void context_reachesWhatCallsAreMadeOf() {
        List<ProcessGroup> world = world(2);
        ObserverNotes parts = heard(
                world,
                group -> group.composite("both")
                        .flux(inside -> Flux.concat(
                                inside.barrier(), inside.composite("inner").mono(deeper -> deeper.barrier()))));
        assertThat(operations(parts)).containsExactly("both", "barrier", "inner", "barrier");
        ObserverNotes objects = heard(
                world, group -> group.broadcastObject("a", 1, String.class).flux());
        assertThat(operations(objects)).containsExactly("object broadcast", "broadcast", "broadcast");
        assertThat(objects.calls().getLast().composite())
                .isEqualTo(objects.calls().getFirst().label());
        ObserverNotes batch = heard(
                world,
                group -> group.batch(List.of(group.barrier(), group.named("x").barrier()))
                        .flux());
        assertThat(operations(batch)).containsExactly("barrier", "barrier");
        ObserverNotes groups = heard(world, group -> group.split(0, 0).flux());
        assertThat(operations(groups)).contains("all-gather").hasSizeGreaterThan(1);
        requireEnded(groups);
    }

    @Test
    void context_reachesSparseTensors_whichAreCompositeCalls() {
        List<ProcessGroup> world = world(2);
        ObserverNotes notes = heard(
                world,
                group -> group.sparseAllReduce(rows(), ReduceOp.SUM)
                        .doOnNext(SparseTensor::close)
                        .flux());
        assertThat(notes.calls().getFirst().operation()).isEqualTo("sparse all-reduce");
        assertThat(notes.calls().getFirst().isComposite()).isTrue();
        assertThat(notes.calls().stream().skip(1))
                .hasSizeGreaterThan(1)
                .allSatisfy(part -> assertThat(part.composite())
                        .isEqualTo(notes.calls().getFirst().label()));
        requireEnded(notes);
    }

    private SparseTensor rows() {
        Tensor places = closedAfterwards(home().take(Tensor.of(new long[] {1}), home().device(0)));
        Tensor values = closedAfterwards(home().take(Tensor.of(new float[2], 1, 2), home().device(0)));
        return new SparseTensor(places, values, 3);
    }

    @Test
    void context_reachesCallsWithParts() {
        List<ProcessGroup> world = world(2);
        ObserverNotes notes = heard(
                world,
                group -> group.allGatherParts(floats(2), List.of(floats(2), floats(2)))
                        .map(Part::rank));
        assertThat(operations(notes)).containsExactly("all-gather");
    }

    /** Each call of the Context finds the observer anew. */
    @Test
    void contextObserverThatThrows_isNobodyElsesMatter_andHearsNothingMore() {
        for (Kind kind : Kind.values()) {
            List<ProcessGroup> world = world(2);
            ThrowingObserver thrower = new ThrowingObserver(kind);
            all(
                    world,
                    group -> group.allReduce(floats(5), ReduceOp.SUM)
                            .then(group.allReduce(floats(5), ReduceOp.SUM))
                            .contextWrite(context -> ContextObservers.put(context, thrower)));
            boolean isTold = areOverLinks() || kind == Kind.SUBSCRIBED || kind == Kind.ENDED;
            assertThat(thrower.count()).as("%s", kind).isEqualTo(isTold ? world.size() : 0);
        }
    }

    @Test
    void nestedContexts_areBothHeard() {
        List<ProcessGroup> world = world(2);
        ObserverNotes inner = new ObserverNotes();
        ObserverNotes outer = heard(
                world,
                group -> group.barrier()
                        .contextWrite(context -> ContextObservers.put(context, inner))
                        .then(group.barrier())
                        .flux());
        assertThat(operations(outer)).hasSize(2);
        assertThat(operations(inner)).hasSize(2);
        assertThat(inner.of(Kind.ENDED, note -> true)).extracting(Note::detail).containsOnlyNulls();
        assertThat(Objects.requireNonNull(outer.calls().getFirst()).ordinal()).isEqualTo(1);
    }
}
