package io.reactivecomm.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Tensor;
import io.reactivecomm.observability.trace.MergedTimeline;
import io.reactivecomm.observability.trace.RankClock;
import io.reactivecomm.observability.trace.RankClock.Basis;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.timeline.Trace.Slice;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Timelines of worlds within this JVM. */
@Timeout(60)
class LocalTimelineTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("trace.json");
    }

    private static LocalWorld world(Timeline timeline) {
        return ReactiveComm.local(
                2, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withObserver(timeline));
    }

    private static <T> List<T> all(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(call, groups.size())
                .collectList()
                .block(LIMIT));
    }

    private static void allReduce(List<ProcessGroup> groups) {
        all(
                groups,
                group -> Mono.using(
                        () -> Tensor.allocate(DType.FLOAT32, 1000),
                        tensor -> group.allReduce(tensor, ReduceOp.SUM),
                        Tensor::close));
    }

    private Trace trace() throws Exception {
        return Trace.read(file());
    }

    @Test
    void world_hasATrackForEachRankAndGroup_andEachCallItsPhases() throws Exception {
        try (Timeline timeline = Timeline.to(file());
                LocalWorld world = world(timeline)) {
            allReduce(world.groups());
            List<ProcessGroup> made = all(world.groups(), group -> group.newGroup(1, 0));
            all(made, group -> group.named("inner").barrier());
        }
        for (int rank = 0; rank < 2; rank++) {
            Slice call = trace().call(rank, "all-reduce");
            List<Slice> phases = trace().phases(call);
            assertThat(phases).extracting(Slice::name).containsSubsequence("queued", "wire");
            assertThat(phases.stream()
                            .mapToLong(phase -> phase.to() - phase.from())
                            .sum())
                    .isEqualTo(call.to() - call.from());
            Slice inner = trace().calls(rank).getLast();
            assertThat(inner.name()).isEqualTo("barrier");
            assertThat(inner.args().get("call").asString()).isEqualTo("inner#0");
            Map<Integer, String> lanes = trace().lanes(rank);
            assertThat(lanes.get(call.lane())).isEqualTo("world · links");
            assertThat(lanes.get(inner.lane())).startsWith("group ").endsWith(" · links");
            assertThat(trace().end(rank, "all-reduce").get("joinedLast").asInt())
                    .isEqualTo(1 - rank);
        }
        assertThat(trace().of("M"))
                .filteredOn(event -> event.get("name").asString().equals("process_name"))
                .extracting(event -> event.get("args").get("name").asString())
                .containsExactlyInAnyOrder("rank 0", "rank 1");
        assertThat(trace().moments("left the world")).hasSize(2);
    }

    @Test
    void composite_hasATrackAbove_andArrowsToItsParts() throws Exception {
        try (Timeline timeline = Timeline.to(file());
                LocalWorld world = world(timeline)) {
            all(
                    world.groups(),
                    group -> group.named("outer")
                            .composite("step")
                            .mono(inside -> inside.composite("bucket 3").mono(ProcessGroup::barrier)));
        }
        Slice step = trace().call(0, "step");
        Slice bucket = trace().call(0, "bucket 3");
        Slice barrier = trace().call(0, "barrier");
        Map<Integer, String> lanes = trace().lanes(0);
        assertThat(lanes.get(step.lane())).isEqualTo("world · composites");
        assertThat(lanes.get(bucket.lane())).isEqualTo("world · composites (2)");
        assertThat(lanes.get(barrier.lane())).isEqualTo("world · links");
        assertThat(barrier.lane()).isGreaterThan(bucket.lane());
        assertThat(barrier.args().get("composite").asString())
                .isEqualTo(bucket.args().get("call").asString());
        assertThat(arrows(0))
                .containsExactlyInAnyOrder(List.of(step.lane(), bucket.lane()), List.of(bucket.lane(), barrier.lane()));
        assertThat(bucket.from()).isBetween(step.from(), step.to());
        assertThat(barrier.from()).isBetween(bucket.from(), bucket.to());
    }

    /** {@return from which lane to which they point} */
    private List<List<Integer>> arrows(int rank) throws Exception {
        Trace trace = trace();
        return trace.of("s").stream()
                .filter(from -> Trace.rank(from) == rank)
                .map(from -> List.of(
                        from.get("tid").asInt(),
                        trace.of("f").stream()
                                .filter(to -> to.get("id").equals(from.get("id")))
                                .findFirst()
                                .orElseThrow()
                                .get("tid")
                                .asInt()))
                .toList();
    }

    @Test
    void callThatWaits_isAWarning_andItsEndAFailure() throws Exception {
        List<String> waiting = new CopyOnWriteArrayList<>();
        try (Timeline timeline = Timeline.to(file());
                LocalWorld world = world(timeline)) {
            ProcessGroup group = world.groups().getFirst();
            group.observe(new CommObserver() {
                @Override
                public void happened(CommEvent event) {
                    if (event instanceof CommEvent.Waiting call) {
                        waiting.add(call.label());
                    }
                }
            });
            // On a slow machine the other rank answers after the first deadlines only.
            for (Duration deadline = Duration.ofMillis(400);
                    waiting.isEmpty() && deadline.compareTo(LIMIT) < 0;
                    deadline = deadline.multipliedBy(5)) {
                Mono<?> alone = group.timeout(deadline).barrier();
                assertThatThrownBy(() -> alone.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
            }
        }
        assertThat(waiting).isNotEmpty();
        assertThat(trace().moments("waiting for " + waiting.getFirst())
                        .getFirst()
                        .get("args")
                        .get("text")
                        .asString())
                .contains("barrier is waiting");
        assertThat(trace().end(0, "barrier").get("error").asString()).isEqualTo("CommTimeoutException");
        assertThat(trace().calls(0)).extracting(Slice::name).containsOnly("barrier");
    }

    @Test
    void worldThatIsLeft_isInTheFile_withoutThread_andTheNextIsAppended() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            for (int round = 1; round <= 2; round++) {
                try (LocalWorld world = world(timeline)) {
                    allReduce(world.groups());
                }
                for (Thread thread : Thread.getAllStackTraces().keySet()) {
                    if (thread.getName().equals("rcomm-timeline")) {
                        assertThat(thread.join(LIMIT)).isTrue();
                    }
                }
                assertThat(trace().calls(0).stream().filter(call -> call.name().equals("all-reduce")))
                        .hasSize(round);
            }
        }
    }

    /** It is not the world that it observes. */
    @Test
    void group_thatIsObserved_keepsNoThread_onceTheWorldIsLeft_alsoIfACallComesLater() throws Exception {
        try (Timeline timeline = Timeline.to(file())) {
            ProcessGroup made;
            try (LocalWorld world = ReactiveComm.local(2)) {
                List<ProcessGroup> groups = all(world.groups(), group -> group.newGroup(0, 1));
                made = groups.getFirst();
                made.observe(timeline);
                all(groups, ProcessGroup::barrier);
            }
            assertThatThrownBy(() -> made.barrier().block(LIMIT)).isInstanceOf(CommException.class);
            timeline.flush();
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().equals("rcomm-timeline")) {
                    assertThat(thread.join(LIMIT)).isTrue();
                }
            }
            assertThat(trace().moments("left the world")).hasSize(1);
            assertThat(trace().calls(0)).hasSize(2);
        }
    }

    @Test
    void call_thatIsUnderWay_asItsObservingEnds_endsInTheTrace() throws Exception {
        try (LocalWorld world = ReactiveComm.local(2);
                Timeline timeline = Timeline.to(file())) {
            Disposable observing = timeline.observe(world.groups().getFirst());
            Mono<?> first = world.groups().getFirst().barrier().cache();
            first.subscribe();
            observing.dispose();
            timeline.flush();
            world.groups().getLast().barrier().block(LIMIT);
            first.block(LIMIT);
            assertThat(trace().end(0, "barrier").toString()).isEqualTo("{\"unfinished\":\"true\"}");
        }
        assertThat(trace().calls(0)).hasSize(1);
    }

    @Test
    void group_thatIsObserved_isHeardOfAlone() throws Exception {
        try (LocalWorld world = ReactiveComm.local(2);
                Timeline timeline = Timeline.to(file())) {
            world.groups().getFirst().observe(timeline);
            allReduce(world.groups());
        }
        assertThat(trace().calls(0)).hasSize(1);
        assertThat(trace().calls(1)).isEmpty();
    }

    @Test
    void partsOfOneProcess_areOnOneClock() throws Exception {
        Path first = Timeline.partOf(file(), 0);
        Path second = Timeline.partOf(file(), 1);
        try (LocalWorld world = ReactiveComm.local(2);
                Timeline zero = Timeline.to(first);
                Timeline one = Timeline.to(second)) {
            world.groups().get(0).observe(zero);
            world.groups().get(1).observe(one);
            allReduce(world.groups());
        }
        MergedTimeline merged = MergedTimeline.of(List.of(second, first));
        merged.write(file());
        assertThat(merged.clocks()).extracting(RankClock::basis).containsExactly(Basis.REFERENCE, Basis.SAME_PROCESS);
        assertThat(merged.clocks()).allSatisfy(clock -> {
            assertThat(clock.offsetNanos()).isZero();
            assertThat(clock.boundNanos()).hasValue(0);
        });
        assertThat(merged.gaps()).isEmpty();
        Slice zero = trace().call(0, "all-reduce");
        Slice one = trace().call(1, "all-reduce");
        assertThat(trace().lanes(0).keySet())
                .doesNotContainAnyElementsOf(trace().lanes(1).keySet())
                .allMatch(thread -> thread > 2);
        assertThat(trace().lanes(1).get(one.lane())).isEqualTo("world · links");
        assertThat(Math.min(zero.from(), one.from())).isZero();
        assertThat(zero.from() < one.to() && one.from() < zero.to())
                .as("%s beside %s", zero, one)
                .isTrue();
    }

    @Test
    void environment_asksForATimeline_ofItsRank() {
        Map<String, String> environment = Map.of("RANK", "1", "WORLD_SIZE", "2", "RCOMM_TIMELINE", file().toString());
        Timeline timeline = Timeline.in(CommConfig.fromEnvironment(environment)).orElseThrow();
        assertThat(timeline.file()).isEqualTo(folder.resolve("trace.1.json"));
        assertThat(Timeline.in(CommConfig.fromEnvironment(Map.of("RANK", "1", "WORLD_SIZE", "2"))))
                .isEmpty();
        assertThat(Timeline.in(
                        CommConfig.fromEnvironment(Map.of("RANK", "1", "WORLD_SIZE", "2", "RCOMM_TIMELINE", " "))))
                .isEmpty();
    }

    @Test
    void environment_thatNamesAFolder_isAnError() {
        Map<String, String> environment = Map.of("RANK", "1", "WORLD_SIZE", "2", "RCOMM_TIMELINE", folder.toString());
        assertThatThrownBy(() -> CommConfig.fromEnvironment(environment))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_TIMELINE=" + folder)
                .hasMessageContaining("it is a folder");
    }
}
