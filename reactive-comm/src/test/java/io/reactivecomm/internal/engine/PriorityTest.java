package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Urgent calls go before those that began earlier, where both wait for a link. */
class PriorityTest {

    private static final int RANKS = 2;

    private static final Selection SELECTION =
            Selection.DEFAULT.within(LimitsTest.tight().eagerBytes());

    /** Many times what may be under way at once. */
    private static final long LARGE = 64 << 10;

    private final EngineWorld world = new EngineWorld(RANKS, LimitsTest.tight(), 3);
    private final List<String> ended = new ArrayList<>();
    private final List<Tensor> tensors = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
        tensors.forEach(Tensor::close);
    }

    private void allReduce(int rank, String name, int priority) {
        allReduce(rank, name, priority, LARGE);
    }

    private void allReduce(int rank, String name, int priority, long elements) {
        Tensor tensor = Tensor.allocate(DType.UINT8, elements);
        tensors.add(tensor);
        AllReduce call = new AllReduce(tensor, tensor, ReduceOp.SUM);
        Submission.Body body = new Submission.Body.Valid(
                call,
                SELECTION
                        .algorithm(call, Layout.apart(RANKS), Wish.NONE)
                        .schedule(Place.of(call, rank, Layout.apart(RANKS))),
                RANKS);
        CallSink sink = new CallSink() {
            @Override
            public void succeeded(Work work) {
                ended.add(name);
            }

            @Override
            public void failed(Failure failure) {
                throw new AssertionError(failure);
            }
        };
        Submission.Address address = new Submission.Address.Collectively(new CallKey.Ticket(0, 0, name, 0, 1));
        long timeout = Duration.ofMinutes(1).toNanos();
        world.engines
                .get(rank)
                .submit(
                        new Submission(
                                world.groups.get(rank),
                                null,
                                address,
                                body,
                                world.now(),
                                timeout,
                                priority,
                                "",
                                null,
                                sink),
                        world.now());
    }

    /** On every rank, in one turn. */
    private void allReduce(String name, int priority) {
        allReduce(name, priority, LARGE);
    }

    private void allReduce(String name, int priority, long elements) {
        for (int rank = 0; rank < RANKS; rank++) {
            allReduce(rank, name, priority, elements);
        }
    }

    private List<String> inTheOrderOfTheirEnds() {
        for (int rank = 0; rank < RANKS; rank++) {
            world.turn(rank);
        }
        world.settle();
        return ended.stream().distinct().toList();
    }

    @Test
    void calls_ofOnePriority_endInTheOrderInWhichTheyBegan() {
        allReduce("long", 0, 4 * LARGE);
        allReduce("first", 0);
        allReduce("second", 0);

        assertThat(inTheOrderOfTheirEnds()).containsExactly("long", "first", "second");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000_000})
    void call_thatIsMoreUrgent_overtakes(int priority) {
        allReduce("usual", 0);
        allReduce("urgent", priority);

        assertThat(inTheOrderOfTheirEnds()).containsExactly("urgent", "usual");
    }

    @Test
    void call_thatIsLessUrgent_waits() {
        allReduce("later", -1);
        allReduce("usual", 0);
        allReduce("sooner", 5);
        allReduce("soonest", 6);

        assertThat(inTheOrderOfTheirEnds()).containsExactly("soonest", "sooner", "usual", "later");
    }

    /** A hint of each rank's own: what ranks do not share slows nobody for ever. */
    @Test
    void calls_whosePrioritiesDiffer_end() {
        allReduce(0, "one", 3);
        allReduce(1, "one", -3);
        allReduce(0, "other", -3);
        allReduce(1, "other", 3);

        assertThat(inTheOrderOfTheirEnds()).containsExactlyInAnyOrder("one", "other");
        assertThat(ended).hasSize(2 * RANKS);
    }
}
