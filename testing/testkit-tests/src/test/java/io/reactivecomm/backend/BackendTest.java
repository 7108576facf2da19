package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** The engine that serves a call, the requests that it gets, and the errors of calls that none serves. */
class BackendTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static LocalWorld world(int size, String backend) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(size, settings.withBackend(backend));
    }

    private static <T> List<T> onAll(LocalWorld world, Function<ProcessGroup, Mono<T>> call) {
        return Flux.fromIterable(world.groups())
                .flatMapSequential(call)
                .collectList()
                .block(LIMIT);
    }

    private static Tensor ones(int count) {
        Tensor tensor = Tensor.allocate(DType.FLOAT32, count);
        tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, 0, 1);
        return tensor;
    }

    @Test
    void ownEngine_byName_performsWhatItSupports() {
        List<Tensor> tensors = List.of(ones(4), ones(4));
        try (LocalWorld world = world(2, "cpu:mirror")) {
            List<Work> works =
                    onAll(world, group -> group.named("layer").allReduce(tensors.get(group.rank()), ReduceOp.SUM));
            assertThat(works).allSatisfy(work -> {
                assertThat(work.backend()).isEqualTo("mirror");
                assertThat(work.algorithm()).isEqualTo("mirrored");
                assertThat(work.sequence()).isZero();
            });
            assertThat(onAll(world, ProcessGroup::barrier))
                    .extracting(Work::backend)
                    .containsOnly("links");
        }
        assertThat(tensors)
                .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsExactly(2, 0, 0, 0));
    }

    @Test
    void repeatedAndSubGroupCalls_keepTheirIdentity() {
        List<Tensor> tensors = List.of(ones(1), ones(1), ones(1));
        try (LocalWorld world = world(3, "mirror")) {
            onAll(
                    world,
                    group -> group.newGroup(2, 0)
                            .flatMap(pair -> pair.allReduce(tensors.get(group.rank()), ReduceOp.SUM)
                                    .repeat(1)
                                    .then()
                                    .doOnTerminate(pair::close)
                                    .thenReturn(group)));
        }
        assertThat(tensors.get(0).toFloatArray()).containsExactly(4);
        assertThat(tensors.get(1).toFloatArray()).containsExactly(1);
        assertThat(MirrorProvider.EVENTS).contains("closed group of [2, 0] on 2", "closed on 1");
    }

    @Test
    void engines_areToldOfRefusedCalls_andOfGroupsThatEnd() {
        try (LocalWorld world = world(2, "mirror")) {
            ProcessGroup group = world.groups().getFirst();
            assertThatThrownBy(() -> group.named("wrong")
                            .allReduce(ones(2), ReduceOp.BAND)
                            .block(LIMIT))
                    .isInstanceOf(UnsupportedCollectiveException.class);
            assertThat(MirrorProvider.EVENTS).contains("refused wrong#0 on 0");
            group.abort("enough");
            assertThatThrownBy(() -> world.groups()
                            .getLast()
                            .barrier()
                            .then(world.groups().getLast().barrier())
                            .block(LIMIT))
                    .isInstanceOf(CommException.class);
        }
        assertThat(MirrorProvider.EVENTS).contains("failed group of [0, 1] on 0", "failed group of [0, 1] on 1");
    }

    @Test
    void engines_areToldOfCompositesThatAreOver_andOfThoseThatFail() {
        try (LocalWorld world = world(2, "mirror")) {
            onAll(
                    world,
                    group -> group.named("whole")
                            .composite("two")
                            .mono(inside -> inside.allReduce(ones(4), ReduceOp.SUM)
                                    .then(inside.named("part")
                                            .composite("one")
                                            .mono(part -> part.allReduce(ones(4), ReduceOp.SUM)))));
            onAll(
                    world,
                    group -> group.named("broken")
                            .composite("none")
                            .mono(inside -> inside.allReduce(ones(4), ReduceOp.SUM)
                                    .flatMap(work -> group.rank() == 0
                                            ? Mono.error(new IllegalStateException("user code"))
                                            : Mono.never()))
                            .materialize());
            for (int rank = 0; rank < 2; rank++) {
                assertThat(MirrorProvider.EVENTS)
                        .containsOnlyOnce(
                                "over whole#0 on " + rank,
                                "over whole#0/part#0 on " + rank,
                                "failed broken#0 on " + rank)
                        .doesNotContain("over broken#0 on " + rank, "failed whole#0 on " + rank);
            }
        }
    }

    @Test
    void calls_thatTheEngineRefuses_goToLinks_ofTheSameDevice() {
        List<Tensor> tensors = List.of(ones(2), ones(2));
        try (LocalWorld world = world(2, "cpu:mirror")) {
            assertThat(onAll(world, group -> group.broadcast(tensors.get(group.rank()), 0)))
                    .extracting(Work::backend)
                    .containsOnly("links");
            assertThat(onAll(world, group -> group.allReduce(tensors.get(group.rank()), ReduceOp.MAX)))
                    .extracting(Work::backend)
                    .containsOnly("links");
            assertThat(onAll(world, group -> group.allReduce(tensors.get(group.rank()), ReduceOp.SUM)))
                    .extracting(Work::backend)
                    .containsOnly("mirror");
        }
        assertThat(tensors)
                .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsExactly(2, 0));
    }

    @Test
    void scopes_goToLinks_ifTheEngineRefusesOneOfTheirCalls() {
        try (LocalWorld world = world(2, "strict")) {
            assertThat(onAll(
                            world,
                            group -> group.coalesce(scope -> {
                                scope.allReduce(ones(2), ReduceOp.MAX);
                                scope.broadcast(ones(3), 1);
                            })))
                    .extracting(Work::backend)
                    .containsOnly("links");
        }
    }

    @Test
    void supports_isAskedForOperationTypeAndReductionTogether() {
        CustomReduction product = CustomReduction.ofFloats("product", (a, b) -> a * b);
        try (LocalWorld world = world(1, "cpu:mirror")) {
            ProcessGroup group = world.groups().getFirst();
            assertThat(group.supports(Operation.ALL_REDUCE, DType.FLOAT32, product))
                    .as("by links")
                    .isTrue();
            assertThat(group.supports(Operation.ALL_REDUCE, DType.BOOL, ReduceOp.MAX))
                    .isTrue();
            assertThat(group.supports(Operation.ALL_REDUCE, DType.BOOL, ReduceOp.SUM))
                    .isFalse();
            assertThat(group.supports(Operation.ALL_REDUCE, DType.FLOAT8_E4M3)).isFalse();
            assertThat(group.supports(Operation.BROADCAST, DType.FLOAT8_E4M3)).isTrue();
        }
    }

    @Test
    void supports_takesAReductionWhereThereIsNone_andNoneForAny() {
        try (LocalWorld world = world(1, "cpu:strict")) {
            ProcessGroup group = world.groups().getFirst();
            assertThat(group.supports(Operation.BROADCAST, DType.BOOL, ReduceOp.SUM))
                    .isTrue();
            assertThat(group.supports(Operation.ALL_REDUCE, DType.BOOL, null)).isTrue();
            assertThat(group.supports(Operation.ALL_REDUCE, DType.FLOAT8_E4M3, null))
                    .isFalse();
        }
    }

    /** Links perform it on the other rank, which would wait. */
    @Test
    void refusal_thatThrowsOnOneRank_isATypedErrorOnAll() {
        try (LocalWorld world = world(2, "cpu:strict")) {
            List<Signal<Work>> ends = onAll(
                    world,
                    group -> group.allReduce(ones(2), StrictEngine.UNJUDGED).materialize());
            assertThat(ends)
                    .hasSize(2)
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContainingAll(
                                    "engine=strict", "no library", "all-reduce(FLOAT32, custom(unjudged))"));
            assertThat(onAll(world, group -> group.allReduce(ones(2), ReduceOp.SUM)))
                    .extracting(Work::backend)
                    .containsOnly("strict");
        }
    }

    /** An algorithm is one of links': to perform the call otherwise would be silent. */
    @Test
    void algorithms_ofLinks_areUnsupportedOnAnotherEngine_onAllRanks() {
        try (LocalWorld world = world(2, "cpu:mirror")) {
            List<Signal<Work>> ends = onAll(
                    world,
                    group -> group.algorithm("rank-order-direct")
                            .allReduce(ones(2), ReduceOp.SUM)
                            .materialize());
            assertThat(ends)
                    .hasSize(2)
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(UnsupportedCollectiveException.class)
                            .hasMessageContaining("engine=mirror"));
            assertThat(onAll(
                            world, group -> group.algorithm("rank-order-direct").allReduce(ones(2), ReduceOp.MAX)))
                    .extracting(Work::algorithm)
                    .containsOnly("rank-order-direct");
        }
    }

    @ParameterizedTest
    @CsvSource({"13, thirteen", "14, fourteen"})
    void ownEngine_thatThrows_failsTheCall(int count, String thrown) {
        try (LocalWorld world = world(1, "cpu:mirror")) {
            Tensor tensor = ones(count);
            assertThatThrownBy(() -> world.groups()
                            .getFirst()
                            .allReduce(tensor, ReduceOp.SUM)
                            .block(LIMIT))
                    .isInstanceOf(CommException.class)
                    .hasMessageContaining("engine=mirror")
                    .hasMessageContaining(thrown);
            assertThat(tensor.borrow()).as("the tensor is free again").isTrue();
        }
    }

    /** The engine learns of an end later than the rank that brought it about, and might perform the call meanwhile. */
    @Test
    void calls_ofAGroupThatEnded_doNotReachTheEngine() {
        for (int i = 0; i < 200; i++) {
            try (LocalWorld world = world(1, "cpu:mirror")) {
                ProcessGroup group = world.groups().getFirst();
                ProcessGroup inner = Objects.requireNonNull(group.newGroup(0).block(LIMIT));
                Tensor tensor = ones(4);
                Mono<Work> early = inner.allReduce(tensor, ReduceOp.SUM);
                inner.abort("enough");
                assertThatThrownBy(() -> early.block(LIMIT))
                        .isInstanceOf(GroupClosedException.class)
                        .hasMessageContaining("enough");
                group.close();
                assertThatThrownBy(() -> group.allReduce(tensor, ReduceOp.SUM).block(LIMIT))
                        .isInstanceOf(GroupClosedException.class);
                assertThatThrownBy(() -> inner.allReduce(ones(13), ReduceOp.SUM).block(LIMIT))
                        .isInstanceOf(GroupClosedException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"links", "cpu", "cpu:links", " links "})
    void links_byAnyOfItsNames_performEverything(String backend) {
        try (LocalWorld world = world(2, backend)) {
            assertThat(onAll(world, group -> group.broadcast(ones(2), 0)))
                    .extracting(Work::backend)
                    .containsOnly("links");
            for (Operation operation : Operation.values()) {
                assertThat(world.groups().getFirst().supports(operation, DType.FLOAT32))
                        .isTrue();
            }
            assertThat(world.groups().getFirst().supports(Operation.ALL_REDUCE, DType.FLOAT8_E4M3))
                    .isFalse();
            assertThat(world.groups().getFirst().supports(Operation.ALL_GATHER, DType.FLOAT8_E4M3))
                    .isTrue();
        }
    }

    /** So {@code nccl} means {@code cpu:links,cuda:nccl}. */
    @ParameterizedTest
    @ValueSource(strings = {"fake", "fake:fake", "cpu:links,fake:fake"})
    void engineOfDevices_byItsName_leavesTheHostsTensorsToLinks(String backend) {
        try (LocalWorld world = world(2, backend)) {
            Device device = new Device("fake", 0);
            assertThat(onAll(world, group -> group.allReduce(ones(2), ReduceOp.SUM)))
                    .extracting(Work::backend)
                    .containsOnly("links");
            assertThat(onAll(world, group -> group.allReduce(group.allocate(device, DType.FLOAT32, 2), ReduceOp.SUM)))
                    .extracting(Work::backend)
                    .containsOnly("fake");
        }
    }

    @Test
    void tensorsOfOneCall_onTwoDevices_areRefused_inputsWithOutputs() {
        try (LocalWorld world = world(1, "fake")) {
            ProcessGroup group = world.groups().getFirst();
            Tensor first = group.allocate(new Device("fake", 0), DType.FLOAT32, 2);
            Tensor second = group.allocate(new Device("fake", 1), DType.FLOAT32, 2);
            for (Tensor output : List.of(second, ones(2))) {
                assertThatThrownBy(() ->
                                group.allReduce(first, output, ReduceOp.SUM).block(LIMIT))
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContainingAll("devices=[fake:0, " + output.device() + "]", "on one device");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nccl",
                "cpu:nccl",
                "cuda:links",
                "cuda:mirror",
                "cpu:links,cpu:mirror",
                ":links",
                "cpu:",
                "links,,mirror"
            })
    void backends_thatMakeNoSense_areToldWhatThereIs(String backend) {
        assertThatThrownBy(() -> world(2, backend).close())
                .satisfies(error -> assertThat(error instanceof CompletionException ? error.getCause() : error)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContaining("; "));
    }
}
