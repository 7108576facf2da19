package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.PeerNews;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transport's reports of a cut between two ranks of three, which do not hear each other. */
class CutTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1);

    @AfterEach
    void close() {
        world.close();
    }

    private List<GroupState> group(long id, int one, int other) {
        List<GroupState> ends = new ArrayList<>();
        for (int rank : new int[] {one, other}) {
            GroupState end = new GroupState(id, 0, List.of(one, other), rank == one ? 0 : 1);
            world.engines.get(rank).register(end);
            ends.add(end);
        }
        return ends;
    }

    private void tell(int rank, PeerNews news) {
        world.engines.get(rank).news(news, world.now());
        world.turn(rank);
        world.settle();
    }

    @Test
    void cut_endsWhatHoldsBothEverywhere_andNothingElse() {
        List<GroupState> both = group(10, 0, 1);
        List<GroupState> first = group(11, 0, 2);
        EngineWorld.End waiting = world.barrier(2, "waits", MINUTE);
        world.settle();

        tell(0, new PeerNews.Cut(1, "they are deaf"));
        tell(1, new PeerNews.Cut(0, "they are deaf"));

        assertThat(waiting.whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);
        assertThat(waiting.whyNot().text()).contains("the network is cut: ranks=[0, 1]", "they are deaf");
        for (GroupState end : both) {
            assertThat(end.ended()).isNotNull();
        }
        assertThat(world.groups)
                .allSatisfy(each -> assertThat(each.ended())
                        .isNotNull()
                        .satisfies(failure -> assertThat(failure.text())
                                .isEqualTo(world.groups.getFirst().ended().text())));
        assertThat(world.groups.get(0).ended().culprit()).isEqualTo(1);
        assertThat(world.groups.get(1).ended().culprit()).isZero();
        EngineWorld.End one = world.collective(first.get(0), "on", new Barrier(), MINUTE);
        EngineWorld.End two = world.collective(first.get(1), "on", new Barrier(), MINUTE);
        world.settle();
        assertThat(one.work).isNotNull();
        assertThat(two.work).isNotNull();
    }

    @Test
    void rankThatIsLostToTheOthers_saysNothingOfThem() {
        List<GroupState> rest = group(10, 1, 2);

        tell(0, new PeerNews.Lost(0, "declared lost by rank 1"));
        world.engines.get(0).down(1, "connection reset", world.now());
        world.turn(0);
        world.settle();

        assertThat(world.groups.get(0).ended().text())
                .contains("this rank was declared lost: rank=0", "declared lost by rank 1");
        assertThat(world.groups.get(0).ended().culprit()).isZero();
        assertThat(rest.get(1).ended()).isNull();
        assertThat(world.groups.get(2).ended()).isNull();
    }

    @Test
    void cutThatNeitherEndTellsOf_isABrokenProtocol() {
        world.engines.get(0).frame(2, new Frame.Cut(1, 0, "a lie"), world.now());
        world.turn(0);

        assertThat(world.groups.get(0).ended().text()).contains("rank=2", "a cut between impossible ranks");
    }

    @Test
    void loopThatDoesNotTurn_isToldInTheTimeout_untilItTurns() {
        EngineWorld.End waiting = world.barrier(0, "waits", MINUTE);
        tell(0, new PeerNews.HeldUp(2, Duration.ofSeconds(2).toNanos(), "Thread.sleep < Main.work:7"));
        world.pass(MINUTE);

        assertThat(waiting.whyNot().text())
                .contains(
                        "rank 2's loop has not turned for 62 s, it says: Thread.sleep < Main.work:7",
                        "use publishOn there");
        assertThat(world.warnings.get(0)).first().asString().contains("rank 2's loop has not turned for 7 s");

        tell(0, new PeerNews.HeldUp(2, 0, ""));
        EngineWorld.End again = world.barrier(0, "again", MINUTE);
        world.pass(MINUTE);
        assertThat(again.whyNot().text()).doesNotContain("has not turned");
    }
}
