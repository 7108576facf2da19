package io.reactivecomm.sequence;

import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The judgement on what must hold in any world that has come to rest: all calls have ended, engines have seen one order, and nothing is left. */
final class WorldJudge {

    private WorldJudge() {}

    static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    static void judge(FuzzWorld world) {
        boolean isLed = world.isLed();
        for (FuzzRank rank : world.ranks()) {
            world.ranks()
                    .forEach(other -> requireSameOrder(
                            rank.engine().history(), other.engine().history()));
            if (!rank.isDead()) {
                requireRest(rank, isLed);
            }
            require(
                    rank.isGone()
                            || rank.engine().held().size() == rank.member().opened(),
                    "an engine holds other groups than its member knows: "
                            + rank.engine().held() + ", known=" + rank.member().opened());
        }
        requireNoneKeptOfTheLost(world);
        require(
                !isLed || world.leader().pending() == 0,
                "the leader keeps calls that have ended: " + world.leader().pending());
        require(
                !isLed || world.leader().kept() == 0,
                "the leader keeps what calls need that have ended: "
                        + world.leader().kept());
    }

    private static void requireRest(FuzzRank rank, boolean isLed) {
        FuzzProgram program = rank.program();
        program.begun().forEach(call -> require(program.ends().containsKey(call), "has not ended: call=" + call));
        program.thrown()
                .forEach(call ->
                        require(program.ends().get(call) != null, "an engine threw, and nobody heard: call=" + call));
        require(rank.member().calls() == 0, "a member keeps calls that have ended");
        require(rank.member().next() == Leader.NEVER, "a member waits for what has ended");
        require(
                rank.member().withdrawn() == 0 || !isLed,
                "a member waits for the leader's word on calls that it gave up");
        for (Handle each : program.hands()) {
            AtomicBoolean isReleased = new AtomicBoolean();
            each.released().subscribe(ignored -> {}, failure -> {}, () -> isReleased.set(true));
            require(isReleased.get(), "an engine has let go of a call's tensors, and nobody knows");
        }
    }

    private static void requireSameOrder(List<Object> one, List<Object> other) {
        List<Object> shared = new ArrayList<>(one);
        Set<Object> its = new HashSet<>(other);
        shared.retainAll(its);
        List<Object> otherShared = new ArrayList<>(other);
        otherShared.retainAll(new HashSet<>(one));
        require(shared.equals(otherShared), "two orders: " + shared + ", " + otherShared);
        require(its.size() == other.size(), "a call ran twice: " + other);
    }

    private static void requireNoneKeptOfTheLost(FuzzWorld world) {
        for (FuzzRank rank : world.ranks()) {
            for (GroupKey held : rank.engine().held()) {
                List<Integer> members = world.plan().groups().get((int) held.id());
                boolean hasLost =
                        members.stream().anyMatch(member -> world.rank(member).isDead());
                require(rank.isGone() || !hasLost, "an engine keeps a group that lost a rank: " + held);
            }
        }
    }
}
