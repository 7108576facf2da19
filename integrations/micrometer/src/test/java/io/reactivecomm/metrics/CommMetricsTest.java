package io.reactivecomm.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivecomm.CommConfig;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.observe.CommEvent;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Micrometer's meters of calls in a local world, whose ranks share one registry. */
class CommMetricsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final CommMetrics metrics = CommMetrics.of(registry);
    private final List<Tensor> tensors = new ArrayList<>();

    @AfterEach
    void close() {
        tensors.forEach(Tensor::close);
    }

    private static LocalWorld world(int size, CommMetrics metrics) {
        return ReactiveComm.local(
                size, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withObserver(metrics));
    }

    private static <T> List<T> all(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(call, groups.size())
                .collectList()
                .block(LIMIT));
    }

    private Tensor floats(int count) {
        Tensor made = Tensor.allocate(DType.FLOAT32, count);
        synchronized (tensors) {
            tensors.add(made);
        }
        return made;
    }

    private static long calls(SimpleMeterRegistry registry, String operation, String group, String outcome) {
        return registry.get("rcomm.call")
                .tags("operation", operation, "group", group, "outcome", outcome)
                .timer()
                .count();
    }

    private double counter(String name, String operation) {
        return registry.get(name).tag("operation", operation).counter().count();
    }

    private double inFlight(String operation, String group) {
        return registry.get("rcomm.calls.inflight")
                .tags("operation", operation, "group", group)
                .gauge()
                .value();
    }

    @Test
    void calls_areTimed_andTheirBytesCounted() {
        try (LocalWorld world = world(2, metrics)) {
            for (int i = 0; i < 3; i++) {
                all(
                        world.groups(),
                        group -> group.named("layer" + group.rank())
                                .named("layer")
                                .allReduce(floats(1000), ReduceOp.SUM));
            }
        }
        assertThat(calls(registry, "all-reduce", "0", "success")).isEqualTo(6);
        assertThat(calls(registry, "all-reduce", "0", "failure")).isZero();
        assertThat(counter("rcomm.bytes", "all-reduce")).isEqualTo(6 * 4000);
        assertThat(counter("rcomm.bytes.sent", "all-reduce")).isPositive();
        assertThat(inFlight("all-reduce", "0")).isZero();
    }

    /** What a call's time went into adds up to it. */
    @Test
    void phases_addUpToTheCalls() {
        try (LocalWorld world = world(2, metrics)) {
            all(
                    world.groups(),
                    group -> group.allReduce(floats(1000), ReduceOp.SUM)
                            .repeat(9)
                            .then());
        }
        double phases = registry.get("rcomm.call.phase").timers().stream()
                .mapToDouble(timer -> timer.totalTime(TimeUnit.NANOSECONDS))
                .sum();
        double calls = registry.get("rcomm.call").timers().stream()
                .mapToDouble(timer -> timer.totalTime(TimeUnit.NANOSECONDS))
                .sum();
        assertThat(phases).isCloseTo(calls, within(1.0));
        assertThat(registry.get("rcomm.call.phase").timers())
                .extracting(timer -> timer.getId().getTag("phase"))
                .containsExactlyInAnyOrder("queued", "matching", "wire", "fold");
    }

    @Test
    void tags_areFew_unlessAskedFor() {
        try (LocalWorld world = world(2, metrics)) {
            all(world.groups(), group -> group.named("layer1").barrier());
        }
        assertThat(keys(registry)).containsExactlyInAnyOrder("operation", "group", "outcome", "phase");
        SimpleMeterRegistry full = new SimpleMeterRegistry();
        try (LocalWorld world = world(2, CommMetrics.of(full, Set.of(CallTag.values())))) {
            all(
                    world.groups(),
                    group -> group.rank() == 0
                            ? group.named("layer1").send(floats(1), 1, 0)
                            : group.named("layer1").receive(floats(1), ProcessGroup.ANY, 0));
        }
        assertThat(full.get("rcomm.call")
                        .tags("operation", "receive", "outcome", "success")
                        .timer()
                        .getId()
                        .getTags())
                .contains(
                        io.micrometer.core.instrument.Tag.of("rank", "1"),
                        io.micrometer.core.instrument.Tag.of("group.size", "2"),
                        io.micrometer.core.instrument.Tag.of("backend", "links"),
                        io.micrometer.core.instrument.Tag.of("algorithm", "message"),
                        io.micrometer.core.instrument.Tag.of("type", "FLOAT32"),
                        io.micrometer.core.instrument.Tag.of("name", "layer1"),
                        io.micrometer.core.instrument.Tag.of("peer", "0"));
        assertThat(full.get("rcomm.calls.inflight").gauges())
                .allSatisfy(gauge -> assertThat(gauge.value()).isZero());
    }

    private static Set<String> keys(SimpleMeterRegistry registry) {
        return registry.getMeters().stream()
                .flatMap(meter -> meter.getId().getTags().stream())
                .map(io.micrometer.core.instrument.Tag::getKey)
                .collect(Collectors.toSet());
    }

    @Test
    void failures_areCountedByType_andLeaveBytesAlone() {
        try (LocalWorld world = world(2, metrics)) {
            Mono<?> alone =
                    world.groups().getFirst().timeout(Duration.ofMillis(50)).barrier();
            assertThatThrownBy(() -> alone.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
        }
        assertThat(registry.get("rcomm.failures")
                        .tags("operation", "barrier", "error", "CommTimeoutException")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(calls(registry, "barrier", "0", "failure")).isEqualTo(1);
        assertThat(registry.find("rcomm.call.phase").timers())
                .allSatisfy(timer -> assertThat(timer.count()).isZero());
    }

    @Test
    void group_hasTheNameThatItWasGiven_andHearsOfItselfAlone() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<ProcessGroup> made = all(world.groups(), group -> group.newGroup(0, 1));
            made.forEach(group -> metrics.observe(group, "tensor-parallel"));
            made.forEach(group -> metrics.observe(group));
            all(made, ProcessGroup::barrier);
            all(world.groups(), ProcessGroup::barrier);
        }
        assertThat(calls(registry, "barrier", "tensor-parallel", "success")).isEqualTo(2);
        assertThat(registry.get("rcomm.call").tag("outcome", "success").timers())
                .hasSize(2);
        assertThatThrownBy(() -> metrics.observe(null, " "))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("name=\" \"");
    }

    @Test
    void call_isInFlight_untilItEnds() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            world.groups().forEach(metrics::observe);
            Mono<?> first = world.groups().getFirst().barrier();
            Mono<?> second = world.groups().getLast().barrier();
            Mono<?> waiting = first.cache();
            Disposable one = waiting.subscribe();
            assertThat(inFlight("barrier", "0")).isEqualTo(1);
            second.block(LIMIT);
            waiting.block(LIMIT);
            assertThat(inFlight("barrier", "0")).isZero();
            one.dispose();
        }
    }

    /** Its end will not be heard of. */
    @Test
    void call_whoseGroupIsNotObservedAnyMore_isNotInFlight() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            Disposable observing = metrics.observe(world.groups().getFirst());
            Disposable call = world.groups().getFirst().barrier().subscribe(work -> {}, error -> {});
            assertThat(inFlight("barrier", "0")).isEqualTo(1);
            observing.dispose();
            assertThat(inFlight("barrier", "0")).isZero();
            call.dispose();
        }
    }

    @Test
    void composite_andItsParts_areCalls() {
        try (LocalWorld world = world(2, metrics)) {
            all(world.groups(), group -> group.allGatherObject("rank " + group.rank(), String.class));
        }
        Set<String> operations = registry.get("rcomm.call").timers().stream()
                .map(timer -> timer.getId().getTag("operation"))
                .collect(Collectors.toSet());
        assertThat(operations).contains("object all-gather").hasSizeGreaterThan(1);
        assertThat(registry.get("rcomm.calls.inflight").gauges())
                .allSatisfy(gauge -> assertThat(gauge.value()).isZero());
    }

    @Test
    void events_areCounted_andHeldLoopsTimed() {
        metrics.happened(new CommEvent.Waiting(0, 1, 0, "#0", List.of(1), List.of(), "waits"));
        metrics.happened(new CommEvent.GroupFailed(0, 1, 0, "lost"));
        metrics.happened(new CommEvent.LoopHeld(0, 1, 1, 1_000_000_000, "sleeps"));
        metrics.happened(new CommEvent.LoopHeld(0, 1, 1, 2_000_000_000, "sleeps"));
        metrics.happened(new CommEvent.LoopHeld(0, 1, 2, 1_000_000_000, "sleeps"));
        assertThat(registry.get("rcomm.loops.held").gauge().value()).isEqualTo(2);
        metrics.happened(new CommEvent.LoopHeld(0, 1, 1, 0, "turns"));
        metrics.happened(new CommEvent.PeerLost(0, 1, 2, "killed"));
        assertThat(registry.get("rcomm.loops.held").gauge().value()).isZero();
        assertThat(registry.get("rcomm.loop.held").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(3);
        assertThat(registry.get("rcomm.peers.lost").counter().count()).isEqualTo(1);
        assertThat(registry.get("rcomm.calls.waiting").counter().count()).isEqualTo(1);
        assertThat(registry.get("rcomm.groups.failed").counter().count()).isEqualTo(1);
    }

    /** Of the ranks that it was told of nobody says any more that they turn again. */
    @Test
    void worldThatIsLeft_leavesNoLoopHeld() {
        metrics.happened(new CommEvent.LoopHeld(0, 1, 1, 2_000_000_000, "sleeps"));
        metrics.happened(new CommEvent.LoopHeld(2, 1, 1, 1_000_000_000, "sleeps"));
        metrics.happened(new CommEvent.WorldLeft(0, 2));
        assertThat(registry.get("rcomm.loops.held").gauge().value())
                .as("as the other rank knows")
                .isEqualTo(1);
        assertThat(registry.get("rcomm.loop.held").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
        metrics.happened(new CommEvent.LoopHeld(2, 3, 1, 0, ""));
        assertThat(registry.get("rcomm.loops.held").gauge().value()).isZero();
    }

    /** Names that never recur fill neither the registry nor the memory. */
    @Test
    @Tag("thorough")
    void kindsBeyondTheMost_areOther() {
        SimpleMeterRegistry full = new SimpleMeterRegistry();
        CommMetrics named = CommMetrics.of(full, Set.of(CallTag.NAME));
        try (LocalWorld world = world(1, named)) {
            for (int i = 0; i < CommMetrics.MOST_KINDS + 5; i++) {
                world.groups().getFirst().named("name" + i).barrier().block(LIMIT);
            }
        }
        assertThat(full.get("rcomm.call").tag("outcome", "success").timers()).hasSize(CommMetrics.MOST_KINDS + 1);
        assertThat(full.get("rcomm.call")
                        .tags("operation", "other", "group", "other", "name", "other", "outcome", "success")
                        .timer()
                        .count())
                .isEqualTo(5);
    }

    @Test
    void close_takesTheMetersOut_withTheLastOfTheRegistry() {
        CommMetrics second = CommMetrics.of(registry);
        try (LocalWorld world = world(2, metrics)) {
            all(world.groups(), ProcessGroup::barrier);
            metrics.close();
            metrics.close();
            assertThat(calls(registry, "barrier", "0", "success")).isEqualTo(2);
            all(world.groups(), ProcessGroup::barrier);
            assertThat(calls(registry, "barrier", "0", "success"))
                    .as("it hears nothing more")
                    .isEqualTo(2);
            second.observe(world.groups().getFirst());
            all(world.groups(), ProcessGroup::barrier);
            assertThat(calls(registry, "barrier", "0", "success")).isEqualTo(3);
            second.close();
            assertThat(registry.getMeters()).isEmpty();
            all(world.groups(), ProcessGroup::barrier);
            assertThat(registry.getMeters()).extracting(Meter::getId).isEmpty();
        }
    }

    @Test
    void otherTags_inTheSameRegistry_areAnError() {
        assertThatThrownBy(() -> CommMetrics.of(registry, Set.of(CallTag.RANK)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("tags=[RANK], has=[]");
        metrics.close();
        CommMetrics.of(registry, Set.of(CallTag.RANK)).close();
    }

    /** Also one whose metrics were never closed. */
    @Test
    void registry_thatNobodyUses_isNotKept() {
        WeakReference<SimpleMeterRegistry> gone = new WeakReference<>(used());
        for (int i = 0; i < 100 && gone.get() != null; i++) {
            System.gc();
        }
        assertThat(gone.get()).isNull();
    }

    private static SimpleMeterRegistry used() {
        SimpleMeterRegistry used = new SimpleMeterRegistry();
        try (LocalWorld world = world(1, CommMetrics.of(used))) {
            world.groups().getFirst().barrier().block(LIMIT);
        }
        return used;
    }
}
