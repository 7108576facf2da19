package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.DType;
import io.reactivecomm.Part;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.WorldContract;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** The contract of a reduce-scatter that tells of its result run by run: every element once, in order, and final when it is told of. */
public abstract class ReducedPartsContract extends WorldContract {

    @Tag("smoke")
    @ParameterizedTest(name = "counts={0}, inPlace={1}")
    @MethodSource("io.reactivecomm.testkit.collective.PartsCases#shapes")
    void reduceScatterParts_tellsOfRunsThatAreFinal_inOrder_toTheLastElement(long[] counts, boolean inPlace) {
        int size = counts.length;
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory()) {
            Scattering run = new Scattering(counts, inPlace, memory);

            List<List<Part>> told =
                    PartsCases.ended(groups.stream().map(run::assemble).toList());

            for (int rank = 0; rank < size; rank++) {
                long next = 0;
                for (Part part : told.get(rank)) {
                    assertThat(part.rank()).isEqualTo(rank);
                    assertThat(part.from()).isEqualTo(next);
                    assertThat(part.tensor().count()).isPositive();
                    next += part.tensor().count();
                }
                assertThat(next).isEqualTo(counts[rank]);
            }
        }
    }

    /** One reduce-scatter: tensors of all ranks. */
    private static final class Scattering {

        private final List<List<Tensor>> inputs = new ArrayList<>();
        private final List<Tensor> outputs = new ArrayList<>();
        private final List<byte[]> expected = new ArrayList<>();

        private Scattering(long[] counts, boolean inPlace, GuardedMemory memory) {
            for (int rank = 0; rank < counts.length; rank++) {
                int contributor = rank;
                List<Tensor> mine = IntStream.range(0, counts.length)
                        .mapToObj(part -> memory.input(DType.FLOAT32, counts[part], part, contributor))
                        .toList();
                inputs.add(mine);
                outputs.add(inPlace ? mine.get(rank) : memory.tensor(DType.FLOAT32, counts[rank]));
                expected.add(Oracle.folded(DType.FLOAT32, ReduceOp.SUM, rank, counts.length, counts[rank]));
            }
        }

        private Flux<Part> assemble(ProcessGroup group) {
            int rank = group.rank();
            return group.reduceScatterParts(inputs.get(rank), outputs.get(rank), ReduceOp.SUM)
                    .doOnNext(part -> {
                        MemorySegment wanted = MemorySegment.ofArray(expected.get(rank))
                                .asSlice(part.from() * 4, part.tensor().byteSize());
                        assertThat(part.tensor().segment().mismatch(wanted))
                                .as("difference behind element %s", part.from())
                                .isNegative();
                    });
        }
    }

    @Test
    void runs_withoutDemand_growTogether_andTheMemoryIsBorrowedUntilThen() {
        // A library tells of its end alone, and with it of all parts.
        assumeTrue(areOverLinks());
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Scattering run = new Scattering(new long[] {500_000, 500_000}, false, memory);
            ObserverNotes notes = new ObserverNotes();
            List<Flux<Part>> calls =
                    List.of(run.assemble(groups.get(0).observedBy(notes)), run.assemble(groups.get(1)));

            StepVerifier.create(calls.get(0), 0)
                    .expectSubscription()
                    .then(() -> {
                        assertThat(PartsCases.ended(calls.subList(1, 2)).getFirst())
                                .hasSizeGreaterThan(1);
                        notes.awaitEnd("reduce-scatter", LIMIT.toSeconds());
                        assertThat(memory.released().toFuture()).isNotDone();
                    })
                    .thenRequest(1)
                    .assertNext(part -> assertThat(part.tensor().count()).isEqualTo(500_000))
                    .expectComplete()
                    .verify(LIMIT);
        }
    }
}
