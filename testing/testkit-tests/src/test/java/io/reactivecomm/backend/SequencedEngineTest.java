package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Ranks that subscribe in any order to calls of an engine that refuses any disorder. */
class SequencedEngineTest extends StrictWorlds {

    /** A rank's calls in all its groups, and what each must come to. */
    private static List<Mono<Void>> program(List<ProcessGroup> groups, Tensor... keep) {
        List<Mono<Void>> calls = new ArrayList<>();
        for (ProcessGroup group : groups) {
            for (String name : List.of("", "weight", "longer than a message ".repeat(40), "")) {
                Tensor tensor = floats(3, 1);
                Mono<Work> call = group.named(name).allReduce(tensor, ReduceOp.SUM);
                float size = group.size();
                // The second subscription adds up what the first one left.
                calls.add(call.then(call)
                        .doOnNext(work -> assertThat(tensor.toFloatArray()).containsOnly(size * size))
                        .doFinally(end -> tensor.close())
                        .then());
            }
            Tensor tensor = floats(2, group.rank());
            calls.add(group.broadcast(tensor, group.size() - 1)
                    .doOnNext(work -> assertThat(tensor.toFloatArray()).containsOnly(group.size() - 1))
                    .doFinally(end -> tensor.close())
                    .then());
        }
        return calls;
    }

    private static Mono<Void> shuffled(List<Mono<Void>> calls, Random random) {
        Collections.shuffle(calls, random);
        return Mono.when(calls).subscribeOn(Schedulers.boundedElastic());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void calls_subscribedInAnyOrder_overlappingGroups_completeInOne(int size) {
        try (LocalWorld world = world(size)) {
            List<List<ProcessGroup>> groups = onAll(
                    world.groups(),
                    group -> Flux.concat(
                                    Mono.just(group),
                                    size == 1 ? group.newGroup(0) : group.newGroup(0, size - 1),
                                    group.split(group.rank() / 2, -group.rank()),
                                    group.split(group.rank() % 2, 0))
                            .collectList());
            Random random = new Random(1);
            for (int round = 0; round < 10; round++) {
                Mono.when(groups.stream()
                                .map(own -> shuffled(program(own), random))
                                .toList())
                        .block(LIMIT);
            }
        }
    }

    /** Each rank waits for another call before the next: what is behind has no place before it has been subscribed to. */
    @Test
    void calls_thatWaitForEachOther_completeWhereTheyCan() {
        try (LocalWorld world = world(3)) {
            onAll(world.groups(), group -> {
                Mono<Work> first = sum(group.named("first"), floats(1, 1));
                Mono<Work> second = sum(group.named("second"), floats(1, 1));
                Mono<Work> third = sum(group.named("third"), floats(1, 1));
                return switch (group.rank()) {
                    case 0 -> Mono.when(third, second, first).thenReturn(group);
                    case 1 -> first.then(second).then(third).thenReturn(group);
                    default -> Mono.when(third, first.then(second)).thenReturn(group);
                };
            });
        }
    }

    @Test
    void work_tellsOfTheEngine() {
        try (LocalWorld world = world(2)) {
            assertThat(onAll(world.groups(), group -> sum(group, floats(4, 1)))).allSatisfy(work -> {
                assertThat(work.backend()).isEqualTo("strict");
                assertThat(work.algorithm()).isEqualTo("met");
            });
            assertThat(onAll(world.groups(), ProcessGroup::barrier))
                    .extracting(Work::backend)
                    .containsOnly("links");
        }
    }

    @Test
    void differentCalls_underOneIdentity_failWithWhoCalledWhat() {
        try (LocalWorld world = world(3)) {
            assertThat(errors(world.groups(), group -> sum(group, floats(group.rank() == 1 ? 5 : 4, 1))))
                    .allSatisfy(
                            error -> assertThat(error)
                                    .isInstanceOf(MismatchException.class)
                                    .hasMessageContaining(
                                            "rank 0 called all-reduce(FLOAT32 × 4, SUM), rank 1 called all-reduce(FLOAT32 × 5, SUM)"));
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }

    @Test
    void callRefusedOnOneRank_failsOnTheOthers_alsoLater() {
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> groups = world.groups();
            Mono<Throwable> early = begun(error(sum(groups.get(1), floats(1, 1))));
            assertThat(error(groups.get(0).allReduce(floats(1, 1), ReduceOp.BAND))
                            .block(LIMIT))
                    .isInstanceOf(UnsupportedCollectiveException.class);
            assertThat(early.block(LIMIT))
                    .isInstanceOf(UnsupportedCollectiveException.class)
                    .hasMessageContaining("rank=0");
            assertThat(error(sum(groups.get(2), floats(1, 1))).block(LIMIT))
                    .isInstanceOf(UnsupportedCollectiveException.class);
            onAll(groups, group -> sum(group, floats(4, 1)));
        }
    }

    /** More than anybody remembers by number: each is known to the rank that makes it later. */
    @Test
    void manyCallsRefusedOnOneRank_failOnTheOthers() {
        try (LocalWorld world = world(2)) {
            int many = 1500;
            Tensor tensor = floats(many, 1);
            ProcessGroup refusing = world.groups().getFirst();
            ProcessGroup later = world.groups().getLast();
            Flux.range(0, many)
                    .flatMap(i -> error(refusing.allReduce(tensor.slice(i, 1), ReduceOp.BAND)), many)
                    .blockLast(LIMIT);
            List<Throwable> errors = Flux.range(0, many)
                    .flatMap(i -> error(later.allReduce(tensor.slice(i, 1), ReduceOp.SUM)), many)
                    .collectList()
                    .block(LIMIT);
            assertThat(errors).hasSize(many).hasOnlyElementsOfType(UnsupportedCollectiveException.class);
            tensor.close();
        }
    }

    @Test
    void closedTensor_failsOnAllRanks() {
        try (LocalWorld world = world(2)) {
            assertThat(errors(world.groups(), group -> {
                        Tensor tensor = floats(1, 1);
                        Mono<Work> call = sum(group, tensor);
                        if (group.rank() == 1) {
                            tensor.close();
                        }
                        return call;
                    }))
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("closed"));
        }
    }

    /** It ends the world of the rank's loop, too: whichever end comes first names the error. */
    @Test
    void errorOfTheEngineThatIsFatal_isReadByTheOthers() {
        StrictEngine.unlucky = new OutOfMemoryError("thirteen");
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(1, 2));
            assertThat(errors(pair, group -> sum(group, floats(StrictEngine.UNLUCKY, 1))))
                    .hasSize(2)
                    .allSatisfy(error ->
                            assertThat(error).isInstanceOf(CommException.class).hasMessageContaining("thirteen"));
        }
    }

    private static Stream<Throwable> throwables() {
        return Stream.of(
                new IllegalStateException("thirteen"),
                new UnsatisfiedLinkError("thirteen"),
                new AssertionError("thirteen"),
                new StackOverflowError("thirteen"));
    }

    /** What it had begun before is stopped after that, and its tensors are let go of: as is seen when all tests have run. */
    @ParameterizedTest
    @MethodSource("throwables")
    void engineThatThrows_failsTheGroup_andNoOther(Throwable thrown) {
        StrictEngine.unlucky = thrown;
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(1, 2));
            for (int count : new int[] {StrictEngine.UNLUCKY, 1}) {
                assertThat(errors(pair, group -> sum(group, floats(count, 1))))
                        .hasSize(2)
                        .allSatisfy(error -> assertThat(error)
                                .isInstanceOf(CommException.class)
                                .hasMessageContainingAll("an engine failed: engine=strict, rank=1", thrown.toString()));
            }
            // Those too that are idle hear of it.
            assertThat(errors(pair, ProcessGroup::ended))
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(CommException.class)
                            .hasMessageContaining(thrown.toString()));
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }
}
