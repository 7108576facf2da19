package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.flat.DirectAllGather;
import io.reactivecomm.internal.schedule.flat.RankOrderAllReduce;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.ScheduledCollective;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Payloads that are the same bytes say so, and no others: links may copy them once for all peers. */
class SameContentTest {

    private static final int SIZE = 3;
    /** Asked for in one piece, and too long to come unasked. */
    private static final int COUNT = 30_000;

    private static Tensor filled(int rank, int count) {
        int[] values = new int[count];
        Arrays.fill(values, rank + 1);
        return Tensor.of(values);
    }

    /** {@return what rank 0 sent to each of the others, the first of them first, while all made their calls} */
    private static List<List<Frame.Data>> sent(Algorithm algorithm, List<? extends Collective> calls) {
        try (EngineWorld world = new EngineWorld(SIZE, EngineLimits.DEFAULT, 1)) {
            List<EngineWorld.End> ends = new ArrayList<>();
            for (int rank = 0; rank < SIZE; rank++) {
                Collective call = calls.get(rank);
                ScheduledCollective scheduled = ScheduledCollective.of(
                        call, DType.INT32, algorithm.schedule(Place.of(call, rank, Layout.apart(SIZE))), SIZE);
                ends.add(world.collective(
                        rank,
                        "",
                        new Submission.Body.Valid(call, call.signature(), List.of(scheduled)),
                        Duration.ofMinutes(1)));
            }
            world.settle();
            assertThat(ends).allMatch(end -> end.work != null);
            return List.of(
                    world.link(0, 1).sent(Frame.Data.class), world.link(0, 2).sent(Frame.Data.class));
        }
    }

    @Test
    void allGather_sameTensorToAll_isOneContent() {
        List<AllGather> calls = new ArrayList<>();
        for (int rank = 0; rank < SIZE; rank++) {
            calls.add(new AllGather(filled(rank, COUNT), Tensor.allocate(DType.INT32, (long) SIZE * COUNT)));
        }
        List<List<Frame.Data>> sent = sent(new DirectAllGather(), calls);
        Object content = sent.get(0).getFirst().content();
        assertThat(content).isNotNull();
        assertThat(sent)
                .allSatisfy(toOne -> assertThat(toOne).isNotEmpty().allMatch(data -> data.content() == content));
    }

    @Test
    void allReduce_partsDiffer_resultsAreOneContent() {
        List<AllReduce> calls = new ArrayList<>();
        for (int rank = 0; rank < SIZE; rank++) {
            Tensor tensor = filled(rank, SIZE * COUNT);
            calls.add(new AllReduce(tensor, tensor, ReduceOp.SUM));
        }
        List<List<Frame.Data>> sent = sent(new RankOrderAllReduce(), calls);
        List<Object> contents = sent.stream()
                .flatMap(List::stream)
                .map(Frame.Data::content)
                .filter(Objects::nonNull)
                .toList();
        assertThat(contents).isNotEmpty().allMatch(content -> content == contents.getFirst());
        for (List<Frame.Data> toOne : sent) {
            assertThat(toOne.stream()
                            .filter(data -> data.content() == null)
                            .mapToLong(data -> data.payload().byteSize())
                            .sum())
                    .as("this rank's operand for the other, which nobody else gets")
                    .isEqualTo(4L * COUNT);
        }
    }
}
