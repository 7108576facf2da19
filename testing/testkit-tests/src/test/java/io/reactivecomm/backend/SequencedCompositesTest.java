package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Composite calls of an engine that refuses any disorder, beyond what all engines promise. */
class SequencedCompositesTest extends StrictWorlds {

    private static Mono<Work> step(ProcessGroup inside, int calls) {
        return Flux.range(0, calls).concatMap(i -> sum(inside, floats(2, 1))).last();
    }

    @Test
    void callsInComposites_areTheEngines_andCountedInEachRun() {
        try (LocalWorld world = world(3)) {
            for (int run = 0; run < 3; run++) {
                assertThat(onAll(
                                world.groups(), group -> group.composite("step").mono(inside -> step(inside, 3))))
                        .allSatisfy(work -> {
                            assertThat(work.backend()).isEqualTo("strict");
                            assertThat(work.sequence()).isEqualTo(2);
                        });
            }
        }
    }

    /** What waits for a call that a body does not make fails with its run: nobody can go on as if nothing had been. */
    @Test
    void bodyThatMakesFewerCalls_failsTheOthers_alsoThoseThatHandleErrors() {
        try (LocalWorld world = world(3)) {
            List<Throwable> errors = errors(
                    world.groups(),
                    group -> group.composite("step")
                            .mono(inside -> group.rank() == 1
                                    ? step(inside, 1)
                                            .then(Mono.<Work>error(new IllegalStateException("kept apart"))
                                                    .onErrorResume(error -> Mono.empty()))
                                    : step(inside, 2).onErrorResume(CommException.class, error -> Mono.empty()))
                            .switchIfEmpty(Mono.error(new AssertionError("completed"))));
            assertThat(List.of(errors.get(0), errors.get(2)))
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining(
                                    "step is over on a rank without a call that others made in it: rank=1")
                            .hasMessageContaining(", missing="));
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }

    /** More than anybody remembers by number: who waits for a call in each is told, or says so itself. */
    @Test
    void manyCompositesThatFailAtOnce_failOnAllRanks_andTheGroupLives() {
        try (LocalWorld world = world(2)) {
            Sinks.Empty<Work> gate = Sinks.empty();
            List<Mono<Throwable>> ends = new ArrayList<>();
            for (ProcessGroup group : world.groups()) {
                for (int i = 0; i < 1_100; i++) {
                    Mono<Work> wrong = gate.asMono().switchIfEmpty(Mono.error(new InvalidCallException("user code")));
                    ends.add(begun(error(group.composite("step")
                            .mono(inside -> group.rank() == 0 ? wrong : sum(inside, floats(1, 1))))));
                }
            }
            gate.tryEmitEmpty();
            assertThat(Flux.concat(ends).collectList().block(LIMIT))
                    .hasSize(2_200)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("user code"));
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }

    /** Begun on all ranks, and never ended by the engine: so the composite, which has failed, ends with the group and not before. */
    @Test
    void announcedCall_ofACompositeThatFails_isLeftToTheEngine() {
        try (LocalWorld world = world(2)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(0, 1));
            Mono<Long> begun = begun(StrictEngine.ENDLESS_BEGUN.asFlux().take(2).count());
            List<CompletableFuture<Throwable>> ends = pair.stream()
                    .map(group -> error(group.composite("step").mono(inside -> endlessAndWrong(inside, begun)))
                            .toFuture())
                    .toList();
            begun.block(LIMIT);
            // Behind the failure of rank 1 on the same links.
            onAll(pair, ProcessGroup::barrier);
            assertThat(ends).noneMatch(CompletableFuture::isDone);
            pair.getFirst().abort("enough");
            assertThat(ends.stream().map(CompletableFuture::join))
                    .hasOnlyElementsOfTypes(InvalidCallException.class, IllegalStateException.class);
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }

    /** A call that never ends, and once all ranks have begun it, the body of rank 1 fails. */
    private static Mono<Work> endlessAndWrong(ProcessGroup inside, Mono<Long> begun) {
        Mono<Work> wrong =
                inside.rank() == 1 ? begun.then(Mono.error(new IllegalStateException("user code"))) : Mono.never();
        return Mono.firstWithSignal(sum(inside, floats(StrictEngine.ENDLESS, 1)), wrong);
    }
}
