package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.base.StreamName;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.spi.link.PeerNews;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** News for observers that are none of a call's. */
class EventsTest {

    private static final long PAIR = 7;

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1);
    private final List<CommEvent> told = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    /** Rank 0 observes its group with that rank. */
    private GroupState observePairWith(int peer) {
        Observers observers = Observers.ofWorld(List.of(new CommObserver() {
            @Override
            public void happened(CommEvent event) {
                told.add(event);
            }
        }));
        GroupState pair = new GroupState(PAIR, 0, List.of(0, peer), 0, observers);
        world.engines.getFirst().register(pair);
        return pair;
    }

    @Test
    void call_thatWaits_isNamedAsPeopleReadIt() {
        GroupState pair = observePairWith(1);
        world.collective(pair, StreamName.of("weights", 0), new Barrier(), Duration.ofMinutes(10));
        world.pass(Duration.ofSeconds(11));
        assertThat(told)
                .first()
                .isInstanceOfSatisfying(
                        CommEvent.Waiting.class,
                        waiting -> assertThat(waiting.label()).isEqualTo("weights.stream#0#0"));
    }

    @Test
    void peer_thatIsLost_isToldToItsGroups_withTheirEnd() {
        observePairWith(2);
        world.engines.getFirst().down(2, "the cable is cut", world.now());
        world.turn(0);
        assertThat(told).hasSize(2);
        assertThat(told.getFirst()).isInstanceOfSatisfying(CommEvent.PeerLost.class, lost -> {
            assertThat(lost.rank()).isZero();
            assertThat(lost.lost()).isEqualTo(2);
            assertThat(lost.cause()).contains("the cable is cut");
        });
        assertThat(told.getLast())
                .isInstanceOfSatisfying(
                        CommEvent.GroupFailed.class,
                        failed -> assertThat(failed.group()).isEqualTo(PAIR));
    }

    @Test
    void peer_thatIsLost_isNoNewsToGroupsWithoutIt() {
        observePairWith(1);
        world.engines.getFirst().down(2, "the cable is cut", world.now());
        world.turn(0);
        assertThat(told).isEmpty();
    }

    @Test
    void loop_thatIsHeld_isTold() {
        observePairWith(1);
        world.engines.getFirst().news(new PeerNews.HeldUp(1, 5_000_000_000L, "a callback"), world.now());
        world.turn(0);
        assertThat(told).singleElement().isInstanceOfSatisfying(CommEvent.LoopHeld.class, held -> {
            assertThat(held.held()).isEqualTo(1);
            assertThat(held.forNanos()).isEqualTo(5_000_000_000L);
            assertThat(held.doing()).isEqualTo("a callback");
        });
    }

    @Test
    void clock_thatIsCompared_isTold_toGroupsWithThatRank() {
        observePairWith(1);
        world.engines.getFirst().news(new PeerNews.ClockCompared(1, 70, -5_000, 40), world.now());
        world.engines.getFirst().news(new PeerNews.ClockCompared(2, 71, -5_000, 40), world.now());
        world.turn(0);
        assertThat(told).containsExactly(new CommEvent.ClockCompared(0, 70, 1, -5_000, 40));
    }
}
