package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that are told how much a way holds. */
class LongWayTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    /** The usual ones, 256 times smaller. */
    private static final EngineLimits LIMITS = new EngineLimits(
            1024,
            1024,
            4096,
            256,
            256 << 10,
            4,
            4 << 20,
            EngineLimits.Openings.DEFAULT,
            512,
            1024,
            5_000_000_000L,
            100_000_000L);

    private static final int PIECE = LIMITS.pieceBytes() / Integer.BYTES;
    private static final int USUAL = LIMITS.windowBytes();
    private static final long MANY = 300;

    private static Tensor filled(int count, int value) {
        int[] values = new int[count];
        Arrays.fill(values, value);
        return Tensor.of(values);
    }

    private static void window(EngineWorld world, int rank, int peer, long bytes) {
        world.engines.get(rank).window(peer, bytes, world.now());
        world.turn(rank);
    }

    /** An all-reduce of two ranks. {@return rank 0's result} */
    private static int[] allReduce(EngineWorld world, int pieces) {
        Tensor here = filled(pieces * PIECE, 1);
        Tensor there = filled(pieces * PIECE, 2);
        world.allReduce(0, "", here, here, ReduceOp.SUM, LONG);
        world.allReduce(1, "", there, there, ReduceOp.SUM, LONG);
        world.settle();
        return here.toIntArray();
    }

    /** A message from rank 1 none of whose bytes come. {@return how many bytes rank 0 has asked for} */
    private static long askedFor(EngineWorld world) {
        Tensor sent = Tensor.allocate(DType.INT32, MANY * PIECE);
        world.link(0, 1).hold(true);
        world.send(1, 0, 1, sent, LONG);
        world.receive(0, 1, 1, Tensor.allocate(DType.INT32, sent.count()), LONG);
        world.settle();
        return asked(world);
    }

    private static long asked(EngineWorld world) {
        return asked(world, 1);
    }

    /** {@return how many bytes rank 0 has asked that peer for} */
    private static long asked(EngineWorld world, int peer) {
        return world.link(0, peer).sent(Frame.Grant.class).stream()
                .mapToLong(grant -> (long) grant.count() * Integer.BYTES)
                .sum();
    }

    /** A reduce of as many pieces, which rank 0 folds. {@return its result} */
    private static Tensor reduce(EngineWorld world, String name, int pieces) {
        List<Tensor> tensors = IntStream.range(0, world.engines.size())
                .mapToObj(rank -> filled(pieces * PIECE, rank + 1))
                .toList();
        for (int rank = 0; rank < tensors.size(); rank++) {
            world.collective(rank, name, new Reduce(tensors.get(rank), 0, ReduceOp.SUM), LONG);
        }
        return tensors.getFirst();
    }

    @ParameterizedTest(name = "a way that holds {0}")
    @ValueSource(longs = {8 << 10, 20 << 10, 68 << 10})
    void longWay_hasAsMuchUnderWayAsItHolds(long bytes) {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            window(world, 0, 1, bytes);

            assertThat(askedFor(world)).isEqualTo(bytes);
        }
    }

    @Test
    void windowThatGrows_whileCallsWaitForRoom_isUsedAtOnce() {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            assertThat(askedFor(world)).isEqualTo(USUAL);

            window(world, 0, 1, 3L * USUAL);

            assertThat(asked(world)).isEqualTo(3L * USUAL);
        }
    }

    @Test
    void windowThatShrinks_keepsWhatIsUnderWay_andAsksForNoMore() {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            window(world, 0, 1, 4L * USUAL);
            assertThat(askedFor(world)).isEqualTo(4L * USUAL);

            window(world, 0, 1, 2L * USUAL);
            world.link(0, 1).hold(false);
            world.settle();

            assertThat(asked(world)).isEqualTo(MANY * PIECE * Integer.BYTES);
            assertThat(world.engines.getFirst().peakBytesInFlight(1)).isEqualTo(4L * USUAL);
            assertThat(world.engines.getFirst().liveCalls()).isZero();
        }
    }

    @ParameterizedTest(name = "told {0}")
    @ValueSource(longs = {Long.MIN_VALUE, 0, 1, 1024})
    void window_isNeverLessThanUsual(long bytes) {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            window(world, 0, 1, bytes);

            assertThat(askedFor(world)).isEqualTo(USUAL);
        }
    }

    @Test
    void window_hasABoundThatStagingMemorySets() {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            window(world, 0, 1, Long.MAX_VALUE);

            assertThat(askedFor(world)).isEqualTo(LIMITS.stagingBytes());
        }
    }

    /** Fifteen ranks send to one over long ways: what is under way to it from all is bounded. */
    @Test
    void windowsOfAllPeers_haveABoundTogether() {
        int size = 16;
        try (EngineWorld world = new EngineWorld(size, LIMITS, 1)) {
            for (int peer = 1; peer < size; peer++) {
                window(world, 0, peer, LIMITS.stagingBytes());
            }
            int part = (int) LIMITS.stagingBytes() / (size - 1);
            int count = 3 * part / Integer.BYTES;
            List<Tensor> outputs = Stream.generate(() -> Tensor.allocate(DType.INT32, count))
                    .limit(size)
                    .toList();
            world.collective(0, "", new Gather(filled(count, 0), outputs, 0), LONG);
            for (int peer = 1; peer < size; peer++) {
                world.collective(peer, "", new Gather(filled(count, peer), List.of(), 0), LONG);
            }
            world.settle();

            for (int peer = 1; peer < size; peer++) {
                assertThat(world.engines.getFirst().peakBytesInFlight(peer))
                        .isBetween((long) part - LIMITS.pieceBytes(), (long) part);
            }
        }
    }

    @Test
    void peerThatIsLost_leavesItsPartToOthers() {
        try (EngineWorld world = new EngineWorld(3, LIMITS, 1)) {
            GroupState here = new GroupState(7, 0, List.of(0, 1), 0);
            GroupState there = new GroupState(7, 0, List.of(0, 1), 1);
            world.engines.get(0).register(here);
            world.engines.get(1).register(there);
            window(world, 0, 1, LIMITS.stagingBytes());
            window(world, 0, 2, LIMITS.stagingBytes());
            Tensor sent = Tensor.allocate(DType.INT32, MANY * PIECE);
            world.link(0, 1).hold(true);
            world.send(there, 0, sent, LONG);
            world.receive(here, 1, Tensor.allocate(DType.INT32, sent.count()), LONG);
            world.settle();
            assertThat(asked(world)).isEqualTo(LIMITS.stagingBytes() / 2);

            world.engines.getFirst().down(2, "gone", world.now());
            window(world, 0, 1, LIMITS.stagingBytes());
            assertThat(asked(world)).isEqualTo(LIMITS.stagingBytes());
        }
    }

    /** As many pieces of a fold are asked for as the way holds, and as many of its result, which the peer has still to make. */
    @Test
    void folds_andResultsThatAreStillMade_follow() {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            window(world, 0, 1, 6L * USUAL);
            window(world, 1, 0, 6L * USUAL);
            Tensor here = filled(120 * PIECE, 1);
            Tensor there = filled(120 * PIECE, 2);
            world.link(0, 1).hold(true);
            world.allReduce(0, "", here, here, ReduceOp.SUM, LONG);
            world.allReduce(1, "", there, there, ReduceOp.SUM, LONG);
            world.settle();
            assertThat(asked(world)).isEqualTo(2 * 6L * USUAL);

            world.link(0, 1).hold(false);
            world.settle();
            assertThat(here.toIntArray()).containsOnly(3);
            assertThat(there.toIntArray()).containsOnly(3);
            assertThat(world.peakBytesInFlight()).isEqualTo(6L * USUAL);
        }
    }

    /** One of two operands comes a long way: as much of it is asked for as that holds, and of the other as much as usual. */
    @Test
    void fold_isAsDeepAsTheLongestWayOfItsOperands() {
        try (EngineWorld world = new EngineWorld(3, LIMITS, 1)) {
            window(world, 0, 1, 6L * USUAL);
            world.link(0, 1).hold(true);
            world.link(0, 2).hold(true);
            Tensor result = reduce(world, "", 120);
            world.settle();
            assertThat(asked(world, 1)).isEqualTo(6L * USUAL);
            assertThat(asked(world, 2)).isEqualTo(USUAL);

            world.link(0, 1).hold(false);
            world.link(0, 2).hold(false);
            world.settle();
            assertThat(result.toIntArray()).containsOnly(6);
        }
    }

    /** The way would hold all the memory for pieces; a fold takes half of it, and each further one its usual pieces. */
    @Test
    void foldsOverLongWays_leaveHalfOfStagingMemory_whereLaterCallsFindSome() {
        int pieces = 300;
        int others = 20;
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            window(world, 0, 1, LIMITS.stagingBytes());
            world.link(0, 1).hold(true);
            List<Tensor> results = new ArrayList<>();
            for (int call = 0; call <= others; call++) {
                results.add(reduce(world, "call " + call, pieces));
                world.settle();
                assertThat(asked(world))
                        .isEqualTo(LIMITS.stagingBytes() / 2 + (long) call * LIMITS.foldDepth() * LIMITS.pieceBytes());
            }

            world.link(0, 1).hold(false);
            world.settle();
            assertThat(results)
                    .allSatisfy(result -> assertThat(result.toIntArray()).containsOnly(3));
        }
    }

    /** Only one end knows that the way is long. */
    @Test
    void ends_thatAreToldDifferently_agree() {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1)) {
            window(world, 0, 1, 100L * USUAL);

            assertThat(allReduce(world, 301)).containsOnly(3);
            assertThat(world.engines.getFirst().peakBytesInFlight(1)).isGreaterThan(USUAL);
            assertThat(world.engines.getLast().peakBytesInFlight(0)).isEqualTo(USUAL);
        }
    }

    private static void untouched(Consumer<QueuedLink> hints, long peakBytes) {
        try (EngineWorld world = new EngineWorld(2, LIMITS, 1, hints)) {
            for (int rank = 0; rank < 2; rank++) {
                window(world, rank, 1 - rank, 20L * USUAL);
            }

            assertThat(allReduce(world, 60)).containsOnly(3);
            assertThat(world.peakBytesInFlight()).isEqualTo(peakBytes);
        }
    }

    @Test
    void linkThatKnowsHowMuchKeepsItBusy_isLeftAsItIs() {
        untouched(link -> link.wantWindow(USUAL / 2), USUAL / 2);
    }

    @Test
    void sharedMemory_isLeftAsItIs() {
        untouched(link -> link.share(true), USUAL);
    }
}
