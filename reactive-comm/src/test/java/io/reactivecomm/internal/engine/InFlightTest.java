package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.StreamName;
import io.reactivecomm.internal.observe.InFlight;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.recorder.LiveCall;
import io.reactivecomm.recorder.WaitingCall;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls under way on a rank, and whom they wait for, without anybody having observed its beginning. */
class InFlightTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int MOST = 4;

    private final EngineWorld world = new EngineWorld(4, EngineLimits.DEFAULT, 1);

    @AfterEach
    void close() {
        world.close();
    }

    private void reduce(int rank, String name) {
        Tensor tensor = Tensor.of(new float[] {rank, 1});
        world.allReduce(rank, name, tensor, tensor, ReduceOp.SUM, LONG);
    }

    private InFlight of(int rank) {
        return world.engines.get(rank).inFlight(MOST, world.now());
    }

    @Test
    void call_thatOneRankHasNotMade_waitsForThatRank_fromTheFirstMomentOn() {
        for (int rank = 0; rank < 3; rank++) {
            reduce(rank, "layer1");
        }
        world.pass(Duration.ofMillis(200));
        for (int rank = 0; rank < 3; rank++) {
            InFlight inFlight = of(rank);
            assertThat(inFlight.count()).isEqualTo(1);
            WaitingCall call = inFlight.oldest().getFirst();
            assertThat(call.label()).isEqualTo("layer1#0");
            assertThat(call.operation()).isEqualTo("all-reduce");
            assertThat(call.backend()).isEqualTo("links");
            assertThat(call.byteSize()).isEqualTo(8);
            assertThat(call.groupSize()).isEqualTo(4);
            assertThat(call.since()).contains(Duration.ofMillis(200));
            // Those that it exchanges something with; all of these have come but for the last.
            assertThat(call.waitsFor()).isSubsetOf(3);
        }
        assertThat(List.of(of(0), of(1), of(2)))
                .anySatisfy(
                        each -> assertThat(each.oldest().getFirst().waitsFor()).containsExactly(3));
        assertThat(of(3)).isEqualTo(new InFlight(0, List.of(), List.of(), ""));
    }

    @Test
    void calls_areTheOldest_andMessagesComeBehindThem() {
        world.receive(0, 1, 0, Tensor.allocate(DType.FLOAT32, 1), LONG);
        for (String name : List.of("a", "b", "c", "d", "e")) {
            reduce(0, name);
        }
        assertThat(of(0).count()).isEqualTo(6);
        assertThat(of(0).oldest()).extracting(WaitingCall::label).containsExactly("a#0", "b#0", "c#0", "d#0");
    }

    @Test
    void receive_waitsForItsSender() {
        world.receive(0, 2, 7, Tensor.allocate(DType.FLOAT32, 1), LONG);
        WaitingCall receive = of(0).oldest().getFirst();
        assertThat(receive.label()).isEqualTo("[2→0, tag=7]");
        assertThat(receive.waitsFor()).containsExactly(2);
    }

    /** An idle worker, and a stream whose next item is not there yet: that is nobody's lateness. A dump tells of them all the same. */
    @Test
    void receive_thatMayBeIdle_waitsForNobodyWhoIsLate() {
        world.receive(0, "jobs", ProcessGroup.ANY, Tensor.allocate(DType.FLOAT32, 1), LONG);
        world.receive(1, "items", 2, Tensor.allocate(DType.FLOAT32, 1), Duration.ofDays(10_000));
        world.pass(Duration.ofSeconds(2));
        for (int rank = 0; rank < 2; rank++) {
            assertThat(of(rank).oldest()).singleElement().satisfies(call -> {
                assertThat(call.waitsFor()).isEmpty();
                assertThat(call.since()).contains(Duration.ofSeconds(2));
            });
        }
        assertThat(world.engines.get(0).snapshot(world.now()).live().getFirst().missing())
                .containsExactly(1, 2, 3);
        assertThat(world.engines.get(1).snapshot(world.now()).live().getFirst().missing())
                .containsExactly(2);
    }

    /** What keeps a stream's names apart from a program's is not for people, nor for their terminals. */
    @Test
    void call_ofAStream_isNamedReadably() {
        String name = StreamName.prefix("weights", 0) + StreamName.ITEMS;
        reduce(1, name);
        assertThat(of(1).oldest().getFirst().label()).isEqualTo("weights.stream#0.items#0");
        world.receive(0, name, 2, Tensor.allocate(DType.FLOAT32, 1), LONG);
        assertThat(of(0).oldest().getFirst().label()).isEqualTo("weights.stream#0.items[2→0, tag=0]");
        for (int rank = 0; rank < 2; rank++) {
            LiveCall live = world.engines.get(rank).snapshot(world.now()).live().getFirst();
            assertThat(live.call().label())
                    .startsWith("weights.stream#0.items")
                    .isEqualTo(of(rank).oldest().getFirst().label());
            assertThat(live.call().name()).isEqualTo("weights.stream#0.items");
        }
    }

    @Test
    void rank_thatIsLost_isNamed_withWhatBecameOfTheWorld() {
        world.engines.getFirst().down(2, "the cable is cut", world.now());
        world.turn(0);
        assertThat(of(0).lost()).containsExactly(2);
        assertThat(of(0).failure()).contains("rank", "2", "the cable is cut");
        assertThat(of(1).lost()).isEmpty();
        assertThat(of(1).failure()).isEmpty();
    }
}
