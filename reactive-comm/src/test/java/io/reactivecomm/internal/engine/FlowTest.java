package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds on what is in flight and on what is kept, with calls begun in the orders that are worst for them. */
class FlowTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    private static Tensor filled(int count, int value) {
        int[] values = new int[count];
        Arrays.fill(values, value);
        return Tensor.of(values);
    }

    /** What all ranks contribute to a call, so that the sum tells the call. */
    private static int value(int call) {
        return 3 + 7 * call;
    }

    /** Calls begun on every rank in an order of its own, and what became of them. */
    private record Load(EngineWorld world, int calls, int count) {

        List<EngineWorld.End> begin(Random random, List<Tensor> tensors) {
            List<EngineWorld.End> ends = new ArrayList<>();
            for (int rank = 0; rank < world.engines.size(); rank++) {
                List<Integer> order =
                        new ArrayList<>(IntStream.range(0, calls).boxed().toList());
                Collections.shuffle(order, random);
                for (int call : order) {
                    Tensor tensor = filled(count, value(call));
                    tensors.add(tensor);
                    ends.add(world.allReduce(rank, "call-" + call, tensor, tensor, ReduceOp.SUM, LONG));
                }
            }
            return ends;
        }
    }

    @Test
    void allReduces_64Of4MiBOnEightRanksEachInAnOrderOfItsOwn_stayWithinTheWindow() {
        int count = 1 << 20;
        int ranks = 8;
        try (EngineWorld world = new EngineWorld(ranks, EngineLimits.DEFAULT, 5)) {
            Random random = new Random(5);
            List<EngineWorld.End> ends = new ArrayList<>();
            List<Tensor> outputs = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                Tensor input = filled(count, 1 + rank);
                Tensor output = Tensor.allocate(DType.INT32, count);
                outputs.add(output);
                List<Integer> order =
                        new ArrayList<>(IntStream.range(0, 64).boxed().toList());
                Collections.shuffle(order, random);
                for (int call : order) {
                    // All calls have one result, so they may share the memory for it.
                    ends.add(world.allReduce(rank, "layer-" + call, input, output, ReduceOp.SUM, LONG));
                }
            }
            world.settle();

            assertThat(ends).hasSize(64 * ranks).allMatch(end -> end.work != null);
            assertThat(outputs)
                    .allSatisfy(output -> assertThat(output.toIntArray()).containsOnly(36));
            assertThat(world.peakBytesInFlight()).isBetween(1L, (long) EngineLimits.DEFAULT.windowBytes());
            assertThat(world.engines).allSatisfy(engine -> {
                assertThat(engine.stagingBytes()).isZero();
                assertThat(engine.liveCalls()).isZero();
            });
        }
    }

    /** Less than a piece; between a piece and the window; more than the window. */
    @ParameterizedTest(name = "a link that needs {0}")
    @CsvSource({"1, 262144", "600000, 524288", "2000000000, 1048576"})
    void link_thatNeedsLessUnderWay_isAskedForLess(int linkWindowBytes, long peakBytes) {
        try (EngineWorld world =
                new EngineWorld(2, EngineLimits.DEFAULT, 1, link -> link.wantWindow(linkWindowBytes))) {
            for (int rank = 0; rank < 2; rank++) {
                Tensor tensor = filled(4 << 20, 1);
                world.allReduce(rank, "", tensor, tensor, ReduceOp.SUM, LONG);
            }
            world.settle();

            assertThat(world.peakBytesInFlight()).isEqualTo(peakBytes);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void allReduces_manyMoreThanTheCreditInRandomOrders_complete(long seed) {
        int[] counts = {1, 300, 5000};
        int ranks = 2 + (int) (seed % 3);
        try (EngineWorld world = new EngineWorld(ranks, LimitsTest.tight(), seed)) {
            Load load = new Load(world, 60, counts[(int) (seed % counts.length)]);
            List<Tensor> tensors = new ArrayList<>();
            List<EngineWorld.End> ends = load.begin(new Random(seed), tensors);
            world.settle();

            assertThat(ends).allMatch(end -> end.work != null);
            assertThat(tensors).allSatisfy(tensor -> {
                int sum = tensor.toIntArray()[0];
                assertThat((sum / ranks - 3) % 7).isZero();
                assertThat(tensor.toIntArray()).containsOnly(sum);
            });
            assertThat(world.peakBytesInFlight())
                    .isLessThanOrEqualTo(LimitsTest.tight().windowBytes());
        }
    }

    @Test
    void calls_thatThePeerHasNotBegun_leaveRoomForOnesThatItHas() {
        try (EngineWorld world = new EngineWorld(2, LimitsTest.tight(), 1)) {
            List<EngineWorld.End> unmatched = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Tensor tensor = filled(1000, i);
                unmatched.add(world.allReduce(0, "unmatched-" + i, tensor, tensor, ReduceOp.SUM, LONG));
            }
            Tensor here = filled(100_000, 1);
            Tensor there = filled(100_000, 2);
            EngineWorld.End matched = world.allReduce(0, "matched", here, here, ReduceOp.SUM, LONG);
            EngineWorld.End matchedToo = world.allReduce(1, "matched", there, there, ReduceOp.SUM, LONG);
            world.settle();

            assertThat(matched.work).isNotNull();
            assertThat(matchedToo.work).isNotNull();
            assertThat(there.toIntArray()).containsOnly(3);
            assertThat(unmatched).noneMatch(EngineWorld.End::isThere);
            assertThat(world.engines.get(1).stagingBytes()).isZero();
        }
    }

    @Test
    void messages_thatNobodyReceives_leaveRoomForOnesThatAreReceived() {
        try (EngineWorld world = new EngineWorld(2, LimitsTest.tight(), 1)) {
            List<EngineWorld.End> unwanted = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                unwanted.add(world.send(0, 1, 1, filled(3, i), LONG));
            }
            EngineWorld.End send = world.send(0, 1, 2, filled(3, 99), LONG);
            world.settle();
            Tensor received = Tensor.allocate(DType.INT32, 3);
            EngineWorld.End receive = world.receive(1, 0, 2, received, LONG);
            world.settle();

            assertThat(send.work).isNotNull();
            assertThat(receive.work).isNotNull();
            assertThat(received.toIntArray()).containsOnly(99);
            assertThat(unwanted).noneMatch(EngineWorld.End::isThere);
            for (int i = 0; i < 50; i++) {
                Tensor next = Tensor.allocate(DType.INT32, 3);
                world.receive(1, 0, 1, next, LONG);
                world.settle();
                assertThat(next.toIntArray()).containsOnly(i);
            }
            assertThat(unwanted).allMatch(end -> end.work != null);
        }
    }
}
