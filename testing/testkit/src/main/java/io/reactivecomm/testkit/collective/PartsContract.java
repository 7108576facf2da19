package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Part;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.stream.StreamEnds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** The contract of an all-gather that tells of its result part by part: every part once, and final when it is told of. */
public abstract class PartsContract extends WorldContract {

    private static final Duration SHORT = Duration.ofMillis(300);

    /** One all-gather: tensors of all ranks. */
    private static final class Gathering {

        private final long[] counts;
        private final List<Tensor> inputs = new ArrayList<>();
        private final List<List<Tensor>> outputs = new ArrayList<>();

        private Gathering(long[] counts, boolean inPlace, GuardedMemory memory) {
            this.counts = counts;
            for (int rank = 0; rank < counts.length; rank++) {
                List<Tensor> mine = Arrays.stream(counts)
                        .mapToObj(count -> memory.tensor(DType.INT32, count))
                        .toList();
                mine.forEach(each -> each.segment().fill((byte) 0x5C));
                outputs.add(mine);
                Tensor input = inPlace ? mine.get(rank) : memory.tensor(DType.INT32, counts[rank]);
                Inputs.fill(input.segment(), DType.INT32, rank, 0);
                inputs.add(input);
            }
        }

        private Flux<Part> assemble(ProcessGroup group) {
            return group.allGatherParts(inputs.get(group.rank()), outputs.get(group.rank()))
                    .doOnNext(part -> {
                        assertThat(part.from()).isZero();
                        assertThat(part.tensor())
                                .isSameAs(outputs.get(group.rank()).get(part.rank()));
                        StreamEnds.requireContent(part.tensor(), part.rank());
                    });
        }

        private Integer[] allRanks() {
            return IntStream.range(0, counts.length).boxed().toArray(Integer[]::new);
        }
    }

    @Tag("smoke")
    @ParameterizedTest(name = "counts={0}, inPlace={1}")
    @MethodSource("io.reactivecomm.testkit.collective.PartsCases#shapes")
    void allGatherParts_tellsOfEachRankOnce_whenItsPartIsWhole(long[] counts, boolean inPlace) {
        List<ProcessGroup> groups = world(counts.length);
        try (GuardedMemory memory = new GuardedMemory()) {
            Gathering run = new Gathering(counts, inPlace, memory);

            List<List<Part>> told =
                    PartsCases.ended(groups.stream().map(run::assemble).toList());

            assertThat(told)
                    .allSatisfy(parts ->
                            assertThat(parts).extracting(Part::rank).containsExactlyInAnyOrder(run.allRanks()));
        }
    }

    private static List<Part> joined(CompletableFuture<List<Part>> parts) {
        return parts.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    @Test
    void allGatherParts_intoOneTensor_tellsOfItsSlices() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Tensor> outputs = IntStream.range(0, 3)
                    .mapToObj(i -> memory.tensor(DType.INT32, 300_000))
                    .toList();
            List<Flux<Part>> calls = groups.stream()
                    .map(group -> group.allGatherParts(
                                    memory.input(DType.INT32, 100_000, group.rank(), 0),
                                    List.of(outputs.get(group.rank())))
                            .doOnNext(part -> StreamEnds.requireContent(part.tensor(), part.rank())))
                    .toList();

            List<List<Part>> told = PartsCases.ended(calls);

            for (int rank = 0; rank < 3; rank++) {
                long base = outputs.get(rank).segment().address();
                assertThat(told.get(rank))
                        .hasSize(3)
                        .allSatisfy(part ->
                                assertThat(part.tensor().segment().address()).isEqualTo(base + part.rank() * 400_000L));
            }
        }
    }

    @ParameterizedTest(name = "count={0}")
    @ValueSource(longs = {3, 200_000})
    void allGatherParts_tellsOfPartsThatHaveLanded_whileAnotherRankIsLate(long count) {
        // A library tells of its end alone, and with it of all parts.
        assumeTrue(areOverLinks());
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            Gathering run = new Gathering(new long[] {count, count, count}, false, memory);
            List<Flux<Part>> calls = groups.stream().map(run::assemble).toList();
            CompletableFuture<List<Part>> other = new CompletableFuture<>();
            calls.get(1).collectList().subscribe(other::complete, other::completeExceptionally);

            StepVerifier.create(calls.get(0).map(Part::rank), 1)
                    .expectNextMatches(rank -> rank != 2)
                    .thenRequest(1)
                    .expectNextMatches(rank -> rank != 2)
                    .thenRequest(Long.MAX_VALUE)
                    .then(() -> calls.get(2).subscribe())
                    .expectNext(2)
                    .expectComplete()
                    .verify(LIMIT);
            assertThat(joined(other)).hasSize(3);
        }
    }

    @Test
    void parts_withoutDemand_wait_andTheCallRuns_andBorrowsUntilTheLast() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            Gathering run = new Gathering(new long[] {200_000, 5, 200_000}, false, memory);
            ObserverNotes notes = new ObserverNotes();
            List<Flux<Part>> calls = List.of(
                    run.assemble(groups.get(0).observedBy(notes)),
                    run.assemble(groups.get(1)),
                    run.assemble(groups.get(2)));

            StepVerifier.create(calls.get(0).map(Part::rank), 0)
                    .expectSubscription()
                    .then(() -> {
                        PartsCases.ended(calls.subList(1, 3));
                        notes.awaitEnd("all-gather", LIMIT.toSeconds());
                        assertThat(memory.released().toFuture()).isNotDone();
                    })
                    .thenRequest(1)
                    .expectNextCount(1)
                    .then(() -> assertThat(memory.released().toFuture()).isNotDone())
                    .thenRequest(2)
                    .expectNextCount(2)
                    .expectComplete()
                    .verify(LIMIT);
        }
    }

    @Tag("smoke")
    @ParameterizedTest(name = "after={0}")
    @ValueSource(ints = {0, 1, 2, 3})
    void parts_cancelledAtAnyStep_leaveTheCallRunning(int after) {
        List<ProcessGroup> groups = world(3);
        for (long count : List.of(3L, 200_000L)) {
            try (GuardedMemory memory = new GuardedMemory()) {
                Gathering run = new Gathering(new long[] {count, count, count}, true, memory);
                List<Flux<Part>> calls = groups.stream().map(run::assemble).toList();
                CompletableFuture<List<Part>> taken = new CompletableFuture<>();
                if (after == 0) {
                    calls.get(0).subscribe().dispose();
                } else {
                    calls.get(0).take(after).collectList().subscribe(taken::complete, taken::completeExceptionally);
                }

                PartsCases.ended(calls.subList(1, 3));

                memory.awaitRelease();
                for (int rank = 0; rank < 3; rank++) {
                    StreamEnds.requireContent(run.outputs.get(0).get(rank), rank);
                }
                if (after > 0) {
                    assertThat(joined(taken)).hasSize(after);
                }
            }
        }
    }

    @Test
    void parts_subscribedToTwice_areTwoCalls() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Gathering run = new Gathering(new long[] {5, 6}, false, memory);
            List<Flux<Part>> calls = groups.stream().map(run::assemble).toList();

            assertThat(PartsCases.ended(calls))
                    .allSatisfy(parts -> assertThat(parts).hasSize(2));
            run.outputs.forEach(
                    outputs -> outputs.forEach(each -> each.segment().fill((byte) 0x5C)));
            assertThat(PartsCases.ended(calls))
                    .allSatisfy(parts -> assertThat(parts).hasSize(2));
        }
    }

    @Test
    void parts_ofACallThatFails_endInItsError() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Gathering run = new Gathering(new long[] {5, 6}, false, memory);
            Tensor closed = Tensor.allocate(DType.INT32, 5);
            closed.close();
            Flux<Part> invalid = groups.get(0).allGatherParts(closed, run.outputs.get(0));
            Flux<Part> peers = groups.get(1).allGatherParts(run.inputs.get(1), run.outputs.get(1));
            Flux<Part> alone = groups.get(1).timeout(SHORT).allGatherParts(run.inputs.get(1), run.outputs.get(1));

            StepVerifier.create(invalid).expectError(InvalidCallException.class).verify(LIMIT);
            StepVerifier.create(peers)
                    .thenConsumeWhile(part -> true)
                    .expectError(InvalidCallException.class)
                    .verify(LIMIT);
            StepVerifier.create(alone)
                    .thenConsumeWhile(part -> true)
                    .expectError(CommTimeoutException.class)
                    .verify(LIMIT);
            memory.awaitRelease();
            groups.get(1).abort("over");
            // Under the name of the call that timed out, which has sent its part, it would succeed until the news
            // comes.
            StepVerifier.create(groups.get(0).named("later").allGatherParts(run.inputs.get(0), run.outputs.get(0)))
                    .thenConsumeWhile(part -> true)
                    .expectError(CommException.class)
                    .verify(LIMIT);
        }
    }
}
