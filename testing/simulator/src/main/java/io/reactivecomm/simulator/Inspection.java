package io.reactivecomm.simulator;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.engine.Engine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The inspection of a world in which nothing happens any more. */
final class Inspection {

    private final Scenario scenario;
    private final VirtualNetwork network;
    private final List<VirtualRank> ranks;
    private final List<Caller> callers;
    private final List<VirtualBody> bodies;

    Inspection(
            Scenario scenario,
            VirtualNetwork network,
            List<VirtualRank> ranks,
            List<Caller> callers,
            List<VirtualBody> bodies) {
        this.scenario = scenario;
        this.network = network;
        this.ranks = ranks;
        this.callers = callers;
        this.bodies = bodies;
    }

    void run() {
        callers.forEach(this::caller);
        bodies.forEach(Inspection::body);
        new CompositeInspection(scenario, callers).run();
        ranks.forEach(this::rank);
        for (CallPlan plan : scenario.plans()) {
            if (plan instanceof CallPlan.Flow flow) {
                flow(flow);
            }
        }
        network.memory().checkIntact();
    }

    private void caller(Caller caller) {
        if (caller.submittedAt() == Caller.NOT_YET || caller.rank().hasCrashed()) {
            return;
        }
        if (caller.endedAt() == Caller.NOT_YET) {
            throw new Violation("a call never ended: " + caller);
        }
        String fault = caller.audience().fault();
        if (fault != null) {
            throw new Violation(fault + ", " + caller);
        }
        if (caller.part().isBridged()
                && caller.work() != null
                && !caller.audience().knowsWhereAResultWent()) {
            throw new Violation("a result was neither told nor discarded: " + caller + ", " + caller.audience());
        }
        if (!caller.audience().hasLeft() && !caller.audience().hasHeard()) {
            throw new Violation("a subscriber was never told: " + caller + ", " + caller.audience());
        }
    }

    private static void body(VirtualBody body) {
        if (body.begunAt() != Caller.NOT_YET && !body.rank().hasCrashed() && !body.hasEnded()) {
            throw new Violation("a composite never ended: " + body);
        }
    }

    private void rank(VirtualRank rank) {
        Engine engine = rank.engine();
        for (VirtualLink link : rank.links()) {
            long peak = engine.peakBytesInFlight(link.peer());
            if (peak > mostInFlight(link)) {
                throw new Violation("more was in flight than the window holds: rank=" + rank.rank() + ", peer="
                        + link.peer() + ", bytes=" + peak);
            }
        }
        if (rank.hasCrashed()) {
            return;
        }
        rank.links().forEach(VirtualLink::checkIdle);
        if (engine.liveCalls() + engine.liveComposites() != 0 || engine.stagingBytes() + engine.scratchBytes() != 0) {
            throw new Violation("an engine still holds calls or memory: rank=" + rank.rank() + ", calls="
                    + engine.liveCalls() + ", composites=" + engine.liveComposites() + ", stagingBytes="
                    + engine.stagingBytes() + ", scratchBytes=" + engine.scratchBytes());
        }
        if (scenario.trouble().kind() == WorldFault.Kind.NONE) {
            groups(rank);
        }
        if (isTroubleFree() && engine.parkedOpenings() + engine.waitingMessages() != 0) {
            throw new Violation("openings stayed parked: rank=" + rank.rank() + ", parked=" + engine.parkedOpenings()
                    + ", messages=" + engine.waitingMessages());
        }
        if (engine.parkedOpenings() + engine.waitingMessages() == 0 && engine.keptEagerBytes() != 0) {
            throw new Violation("bytes are kept that nothing waits for: rank=" + rank.rank() + ", bytes="
                    + engine.keptEagerBytes());
        }
    }

    /** {@return what a window may have held: it grows as far as the engine was told, and no further than its bound} */
    private long mostInFlight(VirtualLink link) {
        long grown = Math.min(link.mostWindowBytes(), scenario.limits().grownWindowBytes(1));
        return Math.max(grown, scenario.limits().largestWindowBytes());
    }

    /** A group that this rank is done with is forgotten once all others are. */
    private void groups(VirtualRank rank) {
        int most = 0;
        for (SimulatedGroup team : scenario.teams()) {
            boolean isOver = team.worldRanks().stream()
                    .allMatch(member -> ranks.get(member).membership(team.id()).isOver());
            most += team.has(rank.rank()) && !isOver ? 1 : 0;
        }
        if (rank.engine().knownGroups() > most) {
            throw new Violation("an engine knows groups that are over: rank=" + rank.rank() + ", groups="
                    + rank.engine().knownGroups() + ", most=" + most);
        }
    }

    private boolean isTroubleFree() {
        return scenario.trouble().kind() == WorldFault.Kind.NONE
                && scenario.teams().stream().noneMatch(team -> team.parting() == SimulatedGroup.Parting.EARLY)
                && scenario.plans().stream().allMatch(plan -> plan.flaw() == CallPlan.Flaw.NONE);
    }

    private void flow(CallPlan.Flow flow) {
        BodyStep inside = flow.inside();
        boolean isUndisturbed = (inside == null || !CompositeInspection.isDisturbed(scenario, inside.body()))
                && !scenario.trouble().concerns(flow.team())
                && flow.team().parting() != SimulatedGroup.Parting.EARLY
                && !scenario.mayNotForm(flow.team());
        if (flow.flaw() == CallPlan.Flaw.MISMATCH && isUndisturbed) {
            for (RankCall.Role role : List.of(RankCall.Role.SENDER, RankCall.Role.RECEIVER)) {
                long failed = of(flow, role).stream()
                        .filter(caller -> caller.failure() != null)
                        .count();
                if (failed != 1) {
                    throw new Violation("one message differs from its receive, but others fail, or none: failed="
                            + failed + ", role=" + role + ", call=" + flow.index());
                }
            }
        }
        if (flow.fromAny() && flow.shape().lengths().getFirst() > 0) {
            inTurn(flow);
        }
    }

    /** Receives from any take the messages of one source in the order in which they were sent. */
    private void inTurn(CallPlan.Flow flow) {
        Map<Integer, Integer> last = new HashMap<>();
        for (Caller caller : of(flow, RankCall.Role.RECEIVER)) {
            if (caller.work() != null && caller.part().peer() == ProcessGroup.ANY) {
                Integer before = last.put(caller.work().peer(), caller.received());
                if (before != null && before >= caller.received()) {
                    throw new Violation("a message overtook another of its source: " + caller);
                }
            }
        }
    }

    private List<Caller> of(CallPlan.Flow flow, RankCall.Role role) {
        List<Caller> found = new ArrayList<>(callers);
        found.removeIf(caller ->
                caller.plan() != flow || caller.part().role() != role || caller.submittedAt() == Caller.NOT_YET);
        found.sort(Comparator.comparingInt(Caller::sequence));
        return found;
    }
}
