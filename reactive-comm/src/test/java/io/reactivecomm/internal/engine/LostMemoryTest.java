package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tensors whose arena is closed while calls borrow them, at every place where the engine touches their memory. */
class LostMemoryTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int LARGE = 3_000_000;

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1);
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        for (int rank = 0; rank < 3; rank++) {
            assertThat(world.engines.get(rank).liveCalls()).isZero();
            assertThat(world.engines.get(rank).stagingBytes()).isZero();
            assertThat(world.engines.get(rank).scratchBytes()).isZero();
            assertThat(world.engines.get(rank).keptEagerBytes()).isZero();
        }
        requireAlive();
        world.close();
    }

    /** The world goes on, and no window is occupied for good: so many large calls need all of it. */
    private void requireAlive() {
        for (int turn = 0; turn < 3; turn++) {
            List<Tensor> tensors = List.of(floats(LARGE), floats(LARGE), floats(LARGE));
            String name = "after " + turn;
            List<EngineWorld.End> ends =
                    List.of(sum(0, name, tensors.get(0)), sum(1, name, tensors.get(1)), sum(2, name, tensors.get(2)));
            world.settle();
            assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
            tensors.forEach(Tensor::close);
        }
    }

    private static Tensor floats(int count) {
        return Tensor.allocate(DType.FLOAT32, count);
    }

    private Tensor wrapped(int count) {
        return Tensor.wrap(arena.allocate(4L * count, 64), DType.FLOAT32, count);
    }

    private EngineWorld.End sum(int rank, String name, Tensor tensor) {
        return world.allReduce(rank, name, tensor, tensor, ReduceOp.SUM, LONG);
    }

    private EngineWorld.End broadcast(int rank, Tensor tensor) {
        return world.collective(rank, "lost", new Broadcast(tensor, 0), LONG);
    }

    private static void requireInvalid(EngineWorld.End end, int rank) {
        Failure failure = end.whyNot();
        assertThat(failure.kind()).isEqualTo(Failure.Kind.INVALID);
        assertThat(failure.culprit()).isEqualTo(rank);
        assertThat(failure.text()).contains("rank=" + rank, "call=lost#0", "memory was freed", "FLOAT32", "released()");
    }

    /** Before the last rank comes the first two have nothing to fold. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void large_closedBeforeTheLastRankComes_failsOnAll(int owner) {
        List<Tensor> tensors = List.of(floats(LARGE), floats(LARGE), floats(LARGE));
        EngineWorld.End[] ends = new EngineWorld.End[3];
        for (int rank : new int[] {owner, (owner + 1) % 3}) {
            ends[rank] = sum(rank, "lost", rank == owner ? wrapped(LARGE) : tensors.get(rank));
            world.settle();
        }
        arena.close();
        int last = (owner + 2) % 3;
        ends[last] = sum(last, "lost", tensors.get(last));
        world.settle();
        for (EngineWorld.End end : ends) {
            requireInvalid(end, owner);
        }
    }

    @Test
    void small_closedBeforeTheLastRankComes_failsOnItsOwnRank() {
        Tensor other = floats(3);
        EngineWorld.End own = sum(0, "lost", wrapped(3));
        EngineWorld.End second = sum(1, "lost", other);
        world.settle();
        arena.close();
        Tensor last = floats(3);
        EngineWorld.End third = sum(2, "lost", last);
        world.settle();
        requireInvalid(own, 0);
        assertThat(List.of(second, third))
                .allSatisfy(end -> assertThat(end.isThere()).isTrue());
    }

    @Test
    void small_closedBeforeItsOpening_failsOnAll() {
        Tensor lost = wrapped(3);
        arena.close();
        List<EngineWorld.End> ends =
                List.of(sum(0, "lost", lost), sum(1, "lost", floats(3)), sum(2, "lost", floats(3)));
        world.settle();
        ends.forEach(end -> requireInvalid(end, 0));
    }

    /** Grants come when the root's memory is gone. */
    @Test
    void root_closedBeforeItIsAskedForPieces_failsOnAll() {
        EngineWorld.End root = broadcast(0, wrapped(LARGE));
        world.link(1, 0).hold(true);
        world.link(2, 0).hold(true);
        EngineWorld.End second = broadcast(1, floats(LARGE));
        EngineWorld.End third = broadcast(2, floats(LARGE));
        world.settle();
        arena.close();
        world.link(1, 0).hold(false);
        world.link(2, 0).hold(false);
        world.settle();
        List.of(root, second, third).forEach(end -> requireInvalid(end, 0));
    }

    /** Pieces are on their way when their memory goes. */
    @Test
    void root_closedWhilePiecesAreOnTheirWay_failsOnAll() {
        EngineWorld.End root = broadcast(0, wrapped(LARGE));
        EngineWorld.End second = broadcast(1, floats(LARGE));
        EngineWorld.End third = broadcast(2, floats(LARGE));
        for (int turn = 0; turn < 100; turn++) {
            deliverAllBut(Frame.Data.class);
        }
        assertThat(world.link(0, 1).onTheWay()).anyMatch(Frame.Data.class::isInstance);
        arena.close();
        world.settle();
        List.of(root, second, third).forEach(end -> requireInvalid(end, 0));
    }

    private void deliverAllBut(Class<? extends Frame> kind) {
        for (int from = 0; from < 3; from++) {
            for (int to = 0; to < 3; to++) {
                if (from != to
                        && world.link(from, to).isBusy()
                        && !kind.isInstance(world.link(from, to).onTheWay().getFirst())) {
                    world.link(from, to).deliver();
                }
            }
        }
    }

    /** Pieces come when the memory that they go to is gone. */
    @Test
    void receiver_closedBeforeThePiecesCome_failsOnAll() {
        EngineWorld.End root = broadcast(0, floats(LARGE));
        EngineWorld.End second = broadcast(1, wrapped(LARGE));
        EngineWorld.End third = broadcast(2, floats(LARGE));
        world.link(0, 1).hold(true);
        world.settle();
        arena.close();
        world.link(0, 1).hold(false);
        world.settle();
        requireInvalid(second, 1);
        assertThat(List.of(root, third))
                .allSatisfy(end -> assertThat(end.isThere()).isTrue());
    }

    /** What a step does not answer for is the memory's fault all the same, if a call's memory is gone. */
    @Test
    void fault_elsewhere_isOfTheCallWhoseMemoryIsGone() {
        EngineWorld.End lost = sum(0, "lost", wrapped(LARGE));
        EngineWorld.End kept = sum(0, "kept", floats(LARGE));
        Engine engine = world.engines.getFirst();
        assertThat(engine.failedByMemory(new IllegalStateException("a fault of ours"), world.now()))
                .isFalse();
        assertThat(engine.failedByMemory(new InternalError("nothing is mapped"), world.now()))
                .isFalse();
        arena.close();
        assertThat(engine.failedByMemory(new IllegalStateException("Already closed"), world.now()))
                .isTrue();
        world.turn(0);
        requireInvalid(lost, 0);
        assertThat(kept.isThere()).isFalse();
        sum(1, "kept", floats(LARGE));
        sum(2, "kept", floats(LARGE));
        world.settle();
        assertThat(kept.work).isNotNull();
    }
}
