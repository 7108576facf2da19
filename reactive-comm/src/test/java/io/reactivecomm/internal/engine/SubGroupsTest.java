package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Groups beside the world's: what an engine keeps of them, and for how long. */
class SubGroupsTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long ID = 77;

    private static GroupState group(EngineWorld world, int rank, int... members) {
        GroupState group = new GroupState(
                ID, 0, IntStream.of(members).boxed().toList(), List.of(0, 1, 2).indexOf(rank));
        world.engines.get(rank).register(group);
        return group;
    }

    private static List<GroupState> ofAll(EngineWorld world) {
        return List.of(group(world, 0, 0, 1, 2), group(world, 1, 0, 1, 2), group(world, 2, 0, 1, 2));
    }

    private static void leave(EngineWorld world, GroupState group) {
        world.engines.get(group.rank()).leaveGroup(group, world.now());
        world.turn(group.rank());
    }

    private static void abandon(EngineWorld world, int rank, GroupState group) {
        world.engines.get(rank).abandonGroup(group, world.now());
        world.turn(rank);
    }

    private static List<Integer> known(EngineWorld world) {
        return world.engines.stream().map(Engine::knownGroups).toList();
    }

    @Test
    void group_leftByAll_isForgotten_andNotBefore() {
        try (EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1)) {
            List<GroupState> groups = ofAll(world);
            leave(world, groups.get(0));
            leave(world, groups.get(1));
            world.settle();
            assertThat(known(world)).containsExactly(2, 2, 2);

            leave(world, groups.get(2));
            leave(world, groups.get(2));

            world.settle();
            assertThat(known(world)).containsExactly(1, 1, 1);
        }
    }

    @Test
    void group_leftByAllButOneThatLeftTheWorld_isForgotten() {
        try (EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 2)) {
            List<GroupState> groups = ofAll(world);
            leave(world, groups.get(0));
            leave(world, groups.get(1));
            world.engines.get(2).leave(world.now());
            world.turn(2);

            world.settle();
            assertThat(world.engines.get(0).knownGroups()).isEqualTo(1);
            assertThat(world.engines.get(1).knownGroups()).isEqualTo(1);
        }
    }

    @Test
    void groups_madeAndLeftAgainAndAgain_doNotAddUp() {
        try (EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 3)) {
            for (int turn = 0; turn < 500; turn++) {
                List<GroupState> groups = ofAll(world);
                List<EngineWorld.End> ends = groups.stream()
                        .map(group -> world.collective(group, "", new Barrier(), LONG))
                        .toList();
                world.settle();
                assertThat(ends).allMatch(end -> end.work != null);
                groups.forEach(group -> leave(world, group));
                world.settle();
            }
            assertThat(known(world)).containsExactly(1, 1, 1);
        }
    }

    @Test
    void abandonedGroup_endsForThoseWhoHaveIt_andIsForgottenWhenTheyLeave() {
        try (EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 4)) {
            List<GroupState> groups = ofAll(world);
            EngineWorld.End pending = world.collective(groups.get(1), "", new Barrier(), LONG);
            abandon(world, 0, groups.get(0));
            world.settle();

            assertThat(pending.whyNot().kind()).isEqualTo(Failure.Kind.CLOSED);
            assertThat(pending.whyNot().text()).contains("the agreement on the group failed");
            assertThat(world.engines.get(0).knownGroups()).isEqualTo(1);
            leave(world, groups.get(1));
            leave(world, groups.get(2));
            world.settle();
            assertThat(known(world)).containsExactly(1, 1, 1);
        }
    }

    @Test
    void abandonedGroup_ofWhichARankLearnsBeforeItHasIt_hasEndedThere() {
        try (EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 5)) {
            GroupState quick = group(world, 0, 0, 1, 2);
            EngineWorld.End pending = world.collective(quick, "", new Barrier(), LONG);
            world.settle();
            assertThat(world.engines.get(1).parkedOpenings()).isPositive();
            abandon(world, 0, quick);
            world.settle();

            EngineWorld.End late = world.collective(group(world, 1, 0, 1, 2), "", new Barrier(), LONG);

            assertThat(pending.whyNot().kind()).isEqualTo(Failure.Kind.CLOSED);
            assertThat(late.whyNot().kind()).isEqualTo(Failure.Kind.CLOSED);
            assertThat(world.engines.get(1).parkedOpenings()).isZero();
            assertThat(known(world)).containsExactly(1, 1, 1);
        }
    }

    @Test
    void message_toAMemberThatHasLeft_givesItsCreditBack() {
        EngineLimits most = EngineLimits.DEFAULT;
        EngineLimits limits = new EngineLimits(
                most.pieceBytes(),
                most.bulkBytes(),
                most.windowBytes(),
                most.eagerBytes(),
                most.stagingBytes(),
                most.foldDepth(),
                most.sliceBytes(),
                most.openings(),
                1,
                most.tombstones(),
                most.stallNanos(),
                most.disputeNanos());
        try (EngineWorld world = new EngineWorld(3, limits, 6)) {
            List<GroupState> groups = ofAll(world);
            EngineWorld.End lost = world.send(groups.get(0), 1, Tensor.allocate(DType.INT8, 4), LONG);
            world.settle();
            leave(world, groups.get(1));
            world.settle();
            assertThat(lost.whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);

            EngineWorld.End sent = world.send(0, 1, 3, Tensor.allocate(DType.INT8, 4), LONG);
            EngineWorld.End received = world.receive(1, 0, 3, Tensor.allocate(DType.INT8, 4), LONG);

            world.settle();
            assertThat(sent.work).isNotNull();
            assertThat(received.work).isNotNull();
        }
    }
}
