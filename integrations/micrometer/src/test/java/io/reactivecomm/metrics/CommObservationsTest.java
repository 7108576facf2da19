package io.reactivecomm.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.observe.CommObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Micrometer's observations of calls in a local world. */
class CommObservationsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final Noted noted = new Noted();

    /** Keeps what a tracer would export. */
    private static final class Noted implements ObservationHandler<CallContext> {

        private final List<CallContext> started = new CopyOnWriteArrayList<>();
        private final List<CallContext> stopped = new CopyOnWriteArrayList<>();
        private final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof CallContext;
        }

        @Override
        public void onStart(CallContext context) {
            started.add(context);
        }

        @Override
        public void onEvent(Observation.Event event, CallContext context) {
            events.add(event.getName() + ": " + event.getContextualName());
        }

        @Override
        public void onStop(CallContext context) {
            stopped.add(context);
        }

        private CallContext of(String operation, int rank) {
            return stopped.stream()
                    .filter(context -> context.call().operation().equals(operation)
                            && context.call().rank() == rank)
                    .findFirst()
                    .orElseThrow();
        }
    }

    private LocalWorld world(CommObserver observer) {
        registry.observationConfig().observationHandler(noted);
        return ReactiveComm.local(
                2, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withObserver(observer));
    }

    private static void all(List<ProcessGroup> groups, java.util.function.Function<ProcessGroup, Mono<?>> call) {
        Flux.fromIterable(groups).flatMap(call, groups.size()).blockLast(LIMIT);
    }

    private static Mono<?> allReduce(ProcessGroup group) {
        Tensor tensor = Tensor.allocate(DType.FLOAT32, 10);
        return group.named("layer1").allReduce(tensor, ReduceOp.SUM).doFinally(end -> tensor.close());
    }

    private static List<String> texts(Iterable<KeyValue> values) {
        return KeyValues.of(values).stream()
                .map(value -> value.getKey() + "=" + value.getValue())
                .toList();
    }

    @Test
    void call_isAnObservation_withItsKeys() {
        try (LocalWorld world = world(CommObservations.of(registry))) {
            all(world.groups(), CommObservationsTest::allReduce);
        }
        assertThat(noted.stopped).hasSize(2).containsExactlyInAnyOrderElementsOf(noted.started);
        CallContext context = noted.of("all-reduce", 1);
        assertThat(context.getName()).isEqualTo("rcomm.observed.call");
        assertThat(context.getContextualName()).isEqualTo("all-reduce");
        assertThat(context.getError()).isNull();
        assertThat(texts(context.getLowCardinalityKeyValues()))
                .containsExactlyInAnyOrder("rcomm.operation=all-reduce", "rcomm.group=0", "rcomm.backend=links");
        assertThat(texts(context.getHighCardinalityKeyValues()))
                .contains(
                        "rcomm.call=layer1#0",
                        "rcomm.rank=1",
                        "rcomm.group.size=2",
                        "rcomm.bytes=40",
                        "rcomm.type=FLOAT32",
                        "rcomm.reduction=SUM");
        assertThat(noted.events)
                .contains(
                        "rcomm.matched: matched with rank 0",
                        "rcomm.first.byte: rcomm.first.byte",
                        "rcomm.last.byte: rcomm.last.byte");
    }

    @Test
    void keys_areThoseOfTheTable() {
        try (LocalWorld world = world(CommObservations.of(registry))) {
            all(world.groups(), CommObservationsTest::allReduce);
            all(world.groups(), group -> group.allGatherObject(1, Integer.class));
        }
        assertThat(noted.stopped).allSatisfy(context -> {
            assertThat(context.getLowCardinalityKeyValues().stream().map(KeyValue::getKey))
                    .containsExactlyInAnyOrderElementsOf(keys(CallDocumentation.CALL.getLowCardinalityKeyNames()));
            assertThat(keys(CallDocumentation.CALL.getHighCardinalityKeyNames()))
                    .containsAll(context.getHighCardinalityKeyValues().stream()
                            .map(KeyValue::getKey)
                            .toList());
        });
        assertThat(noted.events)
                .allSatisfy(event -> assertThat(
                                Stream.of(CallDocumentation.CALL.getEvents()).map(Observation.Event::getName))
                        .contains(event.substring(0, event.indexOf(':'))));
        assertThat(CallDocumentation.CALL.getDefaultConvention()).isEqualTo(CallConvention.class);
    }

    private static List<String> keys(KeyName[] names) {
        return Stream.of(names).map(KeyName::asString).toList();
    }

    /** Reactor's Context carries it to the call, on whichever thread it is subscribed to. */
    @Test
    void parent_isTheContextsObservation() {
        Observation step = Observation.start("training.step", registry);
        try (LocalWorld world = world(CommObservations.of(registry))) {
            all(
                    world.groups(),
                    group -> allReduce(group).contextWrite(context -> context.put(CommObservations.PARENT, step)));
            assertThat(noted.stopped)
                    .hasSize(2)
                    .allSatisfy(context -> assertThat(parent(context)).isSameAs(step));
        }
        step.stop();
    }

    private static ObservationView parent(CallContext context) {
        return context.getParentObservation();
    }

    @Test
    void parent_isTheCurrentObservation_withoutOneInTheContext() {
        Observation step = Observation.start("training.step", registry);
        try (LocalWorld world = world(CommObservations.of(registry))) {
            Mono<?> calls = Flux.fromIterable(world.groups())
                    .flatMap(CommObservationsTest::allReduce, 2)
                    .then();
            step.scoped(() -> {
                calls.block(LIMIT);
            });
            assertThat(noted.stopped)
                    .hasSize(2)
                    .allSatisfy(context -> assertThat(parent(context)).isSameAs(step));
        }
        step.stop();
    }

    @Test
    void partsOfAComposite_haveItAsTheirParent() {
        Observation step = Observation.start("training.step", registry);
        try (LocalWorld world = world(CommObservations.of(registry))) {
            all(
                    world.groups(),
                    group -> group.allGatherObject("rank " + group.rank(), String.class)
                            .contextWrite(context -> context.put(CommObservations.PARENT, step)));
        }
        step.stop();
        List<CallContext> parts = noted.stopped.stream()
                .filter(context -> !context.call().composite().isEmpty())
                .toList();
        assertThat(parts).isNotEmpty().allSatisfy(part -> {
            CallContext composite = noted.of("object all-gather", part.call().rank());
            assertThat(parent(part).getContextView()).isSameAs(composite);
            assertThat(parent(composite)).isSameAs(step);
        });
    }

    @Test
    void partOfAnotherGroup_hasItsCompositeAsItsParent() {
        try (LocalWorld world = world(CommObservations.of(registry))) {
            all(
                    world.groups(),
                    group -> group.newGroup(0, 1)
                            .flatMap(made -> group.composite("step")
                                    .mono(inside ->
                                            inside.within(made).barrier().then(inside.barrier()))));
        }
        List<CallContext> parts = noted.stopped.stream()
                .filter(context -> context.call()
                        .composite()
                        .equals(noted.of("step", 0).call().label()))
                .toList();
        assertThat(parts).extracting(part -> part.call().group()).contains(0L).anyMatch(group -> group != 0);
        assertThat(parts)
                .allSatisfy(part -> assertThat(parent(part).getContextView())
                        .isSameAs(noted.of("step", part.call().rank())));
    }

    /** Its end is not heard of. */
    @Test
    void call_whoseGroupIsNotObservedAnyMore_isStopped() {
        registry.observationConfig().observationHandler(noted);
        try (CommObservations observations = CommObservations.of(registry);
                LocalWorld world = ReactiveComm.local(2)) {
            Disposable observing = observations.observe(world.groups().getFirst());
            Mono<?> first = world.groups().getFirst().barrier().cache();
            first.subscribe();
            assertThat(noted.started).hasSize(1);
            assertThat(noted.stopped).isEmpty();
            observing.dispose();
            assertThat(noted.stopped).hasSize(1);
            world.groups().getLast().barrier().block(LIMIT);
            first.block(LIMIT);
            assertThat(noted.stopped).hasSize(1);
        }
    }

    /** Also those that one group alone is heard of by. */
    @Test
    void close_stopsCallsOfGroups() {
        registry.observationConfig().observationHandler(noted);
        try (LocalWorld world = ReactiveComm.local(2)) {
            CommObservations observations = CommObservations.of(registry);
            observations.observe(world.groups().getFirst());
            Mono<?> first = world.groups().getFirst().barrier().cache();
            first.subscribe();
            observations.close();
            assertThat(noted.stopped).hasSize(1);
            world.groups().getLast().barrier().block(LIMIT);
            first.block(LIMIT);
            assertThat(noted.started).hasSize(1);
        }
    }

    @Test
    void failure_isTheObservationsError() {
        try (LocalWorld world = world(CommObservations.of(registry))) {
            Mono<?> alone =
                    world.groups().getFirst().timeout(Duration.ofMillis(50)).barrier();
            assertThatThrownBy(() -> alone.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
        }
        assertThat(noted.of("barrier", 0).getError()).isInstanceOf(CommTimeoutException.class);
    }

    @Test
    void close_stopsWhatHasNotEnded_andBeginsNoMore() {
        CommObservations observations = CommObservations.of(registry);
        try (LocalWorld world = world(observations)) {
            Mono<?> first = world.groups().getFirst().barrier().cache();
            first.subscribe();
            assertThat(noted.started).hasSize(1);
            observations.close();
            assertThat(noted.stopped).hasSize(1);
            world.groups().getLast().barrier().block(LIMIT);
            first.block(LIMIT);
            assertThat(noted.started).hasSize(1);
            assertThat(noted.stopped).hasSize(1);
        }
    }

    /** A handler that makes meters, and the library's own meters, in one registry. */
    @Test
    void meters_ofAHandler_standBesideThoseOfCommMetrics() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        try (LocalWorld world = world(CommObservations.of(registry));
                CommMetrics metrics = CommMetrics.of(meters)) {
            world.groups().forEach(metrics::observe);
            all(world.groups(), CommObservationsTest::allReduce);
            assertThat(meters.get("rcomm.observed.call")
                            .tags("rcomm.operation", "all-reduce", "error", "none")
                            .timer()
                            .count())
                    .isEqualTo(2);
            assertThat(meters.get("rcomm.call")
                            .tags("outcome", "success")
                            .timer()
                            .count())
                    .isEqualTo(2);
        }
    }

    /** A convention of a program's, with another name and fewer keys. */
    private static final class ShortConvention extends CallConvention {

        @Override
        public String getName() {
            return "collective";
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(CallContext context) {
            return KeyValues.empty();
        }
    }

    @Test
    void convention_ofTheProgram_names() {
        try (LocalWorld world = world(CommObservations.of(registry, new ShortConvention()))) {
            all(world.groups(), CommObservationsTest::allReduce);
        }
        assertThat(noted.stopped).hasSize(2).allSatisfy(context -> {
            assertThat(context.getName()).isEqualTo("collective");
            assertThat(context.getHighCardinalityKeyValues()).isEmpty();
        });
    }

    @Test
    void registryWithoutHandlers_beginsNone() {
        try (LocalWorld world = ReactiveComm.local(
                2,
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT)
                        .withObserver(CommObservations.of(ObservationRegistry.NOOP)))) {
            all(world.groups(), CommObservationsTest::allReduce);
        }
        assertThat(noted.started).isEmpty();
    }
}
