package io.reactivecomm.sequence;

import static io.reactivecomm.sequence.WorldJudge.require;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The judgement on a world of calls that has come to rest: that each has ended as it should, and groups are cut in one way and freed. */
final class SequencerJudge {

    private final FuzzWorld world;
    private final FuzzPlan plan;

    SequencerJudge(FuzzWorld world) {
        this.world = world;
        this.plan = world.plan();
    }

    void judge() {
        WorldJudge.judge(world);
        requireEnds();
        requireOneCut();
        requireNothingLeft();
        requireReferences();
    }

    private void requireEnds() {
        for (int rank = 0; rank < world.ranks().size(); rank++) {
            FuzzProgram program = world.rank(rank).program();
            if (world.rank(rank).isDead()) {
                continue;
            }
            for (FuzzPlan.Start start : plan.starts().get(rank)) {
                boolean isMissing = plan.trouble(FuzzPlan.Kind.MISSING, rank, start.call()) != null;
                boolean isBegun = program.begun().contains(start.call())
                        || program.refused().contains(start.call());
                require(isMissing || isBegun, "was never begun: rank=" + rank + ", call=" + start.call());
            }
            for (int call : program.begun()) {
                requireRightEnd(rank, call, program.ends().get(call));
                requireAllOrNone(call);
                requireToldAtOnce(rank, call);
            }
        }
    }

    private void requireRightEnd(int rank, int call, @Nullable Failure end) {
        int group = plan.calls().get(call).group();
        require(
                mayTimeOut(call) || end == null || end.kind() != Failure.Kind.TIMEOUT,
                "should have heard of it: rank=" + rank + ", end=" + end);
        if (plan.isSpoiled(group)) {
            return;
        }
        FuzzPlan.Trouble trouble = plan.troubles().stream()
                .filter(each -> each.call() == call && each.kind().isOfOne())
                .findFirst()
                .orElse(null);
        if (plan.mayFailWithRun(call)) {
            require(
                    end == null || end.kind() != Failure.Kind.TIMEOUT || mayTimeOut(call),
                    "should have failed with its run: " + end);
            require(
                    end == null || end.kind() != Failure.Kind.INTERNAL,
                    "should have failed with its run: rank=" + rank + ", call=" + call + ", end=" + end);
            return;
        }
        boolean alone = plan.groups().get(group).size() == 1;
        String what = "rank=" + rank + ", call=" + call + ", end=" + end;
        if (trouble == null || (alone && trouble.kind() == FuzzPlan.Kind.MISMATCH)) {
            require(end == null, "should have succeeded: " + what);
            return;
        }
        require(end != null, "should have failed: " + what);
        switch (trouble.kind()) {
            case REFUSED ->
                require(
                        end.kind() == Failure.Kind.INVALID && end.culprit() == trouble.rank(),
                        "should tell of the refusal: " + what);
            case MISMATCH ->
                require(
                        end.kind() == Failure.Kind.MISMATCH && end.text().contains("rank " + rank + " called"),
                        "who called what? " + what);
            default ->
                require(
                        end.kind() == Failure.Kind.TIMEOUT && end.missing().contains(trouble.rank()),
                        "who was missing? " + what);
        }
    }

    /** A call that fails with its run does so on the way there and back, without anybody being asked. */
    private void requireToldAtOnce(int rank, int call) {
        List<FuzzPlan.Trouble> troubles = plan.troubles();
        FuzzProgram program = world.rank(rank).program();
        if (troubles.size() == 1
                && troubles.getFirst().kind() == FuzzPlan.Kind.RUN_FAILS
                && program.ends().get(call) != null) {
            long tookNanos =
                    program.endedAt(call) - Math.max(troubles.getFirst().at(), program.begunAt(call));
            require(
                    tookNanos < Leader.DISPUTE_NANOS,
                    "should have heard at once: rank=" + rank + ", call=" + call + ", took=" + tookNanos);
        }
    }

    /** What was announced of a run that fails runs to its end on all, and all else fails on all. */
    private void requireAllOrNone(int call) {
        int group = plan.calls().get(call).group();
        if (!plan.mayFailWithRun(call) || plan.isSpoiled(group)) {
            return;
        }
        long good = plan.groups().get(group).stream()
                .filter(rank -> world.rank(rank).program().ends().containsKey(call)
                        && world.rank(rank).program().ends().get(call) == null)
                .count();
        require(
                good == 0 || good == plan.groups().get(group).size(),
                "succeeded on some ranks: call=" + call + ", ranks=" + good);
    }

    /**
     * {@return whether a call may end by its deadline: a rank never calls, also not in a composite whose body waits there for what comes after that
     * call elsewhere; or the leader has left in good order before another trouble came}
     */
    private boolean mayTimeOut(int call) {
        return plan.troubles().stream()
                        .anyMatch(trouble -> trouble.kind() == FuzzPlan.Kind.MISSING
                                && trouble.call() == call
                                && (plan.calls().get(call).enclosure() == null || isDependent()))
                || (plan.troubles().size() > 1
                        && plan.troubles().stream()
                                .anyMatch(trouble ->
                                        trouble.kind() == FuzzPlan.Kind.LEAVES && trouble.rank() == Leader.RANK));
    }

    private boolean isDependent() {
        return plan.starts().stream().flatMap(List::stream).anyMatch(start -> start.after() >= 0);
    }

    private void requireOneCut() {
        for (FuzzRank one : world.ranks()) {
            for (FuzzRank other : world.ranks()) {
                for (Map.Entry<GroupKey, List<List<CallKey>>> group :
                        one.engine().batches().entrySet()) {
                    List<List<CallKey>> mine = group.getValue();
                    List<List<CallKey>> its = other.engine().batches().getOrDefault(group.getKey(), List.of());
                    int shared = Math.min(mine.size(), its.size());
                    require(
                            mine.subList(0, shared).equals(its.subList(0, shared)),
                            "a group was cut in two ways: " + mine + ", " + its);
                }
            }
        }
    }

    private void requireNothingLeft() {
        boolean isLed = world.ranks().stream().noneMatch(FuzzRank::isGone) || plan.departs();
        boolean allSpeak = plan.troubles().stream()
                .noneMatch(trouble -> trouble.kind() == FuzzPlan.Kind.MISSING && plan.run(trouble) == null);
        require(
                !isLed || !allSpeak || world.leader().failed() == 0,
                "the leader remembers failures of which all have spoken");
        requireGroupsFreed();
    }

    /** Without trouble what all have closed is freed; a group that fails reaches all engines that are left. */
    private void requireGroupsFreed() {
        boolean allClose = plan.troubles().isEmpty() && plan.closing() != FuzzPlan.Closing.NEVER;
        require(
                !allClose || world.leader().opened() == 0,
                "the leader keeps groups that all have closed: "
                        + world.leader().opened());
        for (FuzzRank rank : world.ranks()) {
            require(
                    !allClose || rank.engine().held().isEmpty(),
                    "an engine keeps groups that all have closed: "
                            + rank.engine().held());
            for (FuzzPlan.Trouble trouble : plan.troubles()) {
                GroupKey group = new GroupKey(0, trouble.group());
                boolean isMember = !rank.isGone()
                        && plan.groups()
                                .get(trouble.group())
                                .contains(world.ranks().indexOf(rank));
                require(
                        !isMember
                                || trouble.kind() != FuzzPlan.Kind.ABORT
                                || rank.engine().isAbandoned(group),
                        "an engine does not know of an abort");
            }
        }
    }

    private static int depth(FuzzCall call) {
        Enclosure enclosure = call.enclosure();
        return enclosure == null ? 0 : enclosure.depth();
    }

    /** Where nothing is evicted and nothing goes wrong, only the first call of a name is announced by its name. */
    private void requireReferences() {
        if (plan.troubles().isEmpty() && plan.slots() == RecentNames.SLOTS) {
            Set<String> names = new HashSet<>();
            int news = 0;
            for (FuzzCall call : plan.calls()) {
                if (call instanceof FuzzCall.All all
                        && names.add(all.group() + "/" + all.key().name() + "/" + depth(call))) {
                    news += plan.groups().get(call.group()).size();
                }
            }
            require(world.newPlaces() == news, "names announced: " + world.newPlaces() + ", names there are: " + news);
        }
    }
}
