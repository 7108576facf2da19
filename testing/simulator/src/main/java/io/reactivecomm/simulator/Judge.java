package io.reactivecomm.simulator;

import io.reactivecomm.Work;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.testkit.collective.Form;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds every end of a call against the oracle and the contracts. */
final class Judge {

    /** How late an end may be after a deadline: turns and timers come late, by less than this. */
    static final long SLACK_NANOS = 2_000_000;

    /** In slower weather a rank may fail to answer within the time for collecting who called what. */
    private static final long PROMPT_NANOS = 20_000;

    private final Scenario scenario;
    private final EventQueue agenda;
    private final Expected expected = new Expected();
    private final CompositeJudge composites;
    private final Map<RankCall, Caller> callers = new IdentityHashMap<>();

    Judge(Scenario scenario, EventQueue agenda) {
        this.scenario = scenario;
        this.agenda = agenda;
        this.composites = new CompositeJudge(agenda);
    }

    void add(Caller caller) {
        callers.put(caller.part(), caller);
    }

    long now() {
        return agenda.now();
    }

    /** {@return why a call fails its checks} */
    Failure refusal(Caller caller) {
        int rank = caller.rank().rank();
        return new Failure(
                Failure.Kind.INVALID,
                rank,
                "got nonsense: rank=" + rank + ", call=" + caller.plan().index() + "; pass sense");
    }

    /** A call ends: once, after it began, and by its deadline. */
    void ends(Caller caller) {
        agenda.note(caller.plan().index() * 64L + caller.part().groupRank(), agenda.now());
        if (caller.endedAt() != Caller.NOT_YET) {
            throw new Violation("a call ended twice: " + caller);
        }
        long due = caller.submittedAt() + caller.timeoutNanos();
        boolean loses = scenario.trouble().kind() == WorldFault.Kind.CRASH
                && scenario.trouble().concerns(caller.plan().team());
        if (loses) {
            long told = scenario.trouble().at() + 2 * scenario.weather().longestDelay();
            due = Math.min(due, Math.max(caller.submittedAt(), told));
        }
        boolean isDeaf = scenario.trouble().kind() == WorldFault.Kind.SILENCE
                && scenario.trouble().concerns(caller.plan().team())
                && scenario.trouble().has(caller.rank().rank());
        if (isDeaf) {
            long told = scenario.trouble().at() + scenario.weather().longestDelay();
            due = Math.min(due, Math.max(caller.submittedAt(), told));
        }
        long leftAt = caller.membership().leftAt();
        if (leftAt != Membership.NOT_YET) {
            due = Math.min(due, Math.max(caller.submittedAt(), leftAt));
        }
        if (agenda.now() > due + SLACK_NANOS) {
            throw new Violation("a call ended late: due=" + due + ", now=" + agenda.now() + ", " + caller);
        }
    }

    void succeeded(Caller caller, Work work) {
        agenda.tell(caller.rank().rank(), () -> "call " + caller.plan().index() + " succeeded");
        if (caller.part().isInvalid()) {
            throw new Violation("an invalid call succeeded: " + caller);
        }
        checkInput(caller);
        switch (caller.plan()) {
            case CallPlan.Together together -> together(together, caller);
            case CallPlan.Flow flow -> message(flow, caller, work);
        }
    }

    private void together(CallPlan.Together plan, Caller caller) {
        List<Integer> needs = Expected.needs(plan, caller.part().groupRank());
        if (Expected.mustFail(plan, caller.part().groupRank())) {
            throw new Violation("a call succeeded without a rank that it needs: " + caller + ", without=" + plan.odd());
        }
        for (RankCall part : plan.parts()) {
            Caller other = callers.get(part);
            if (needs.contains(part.groupRank()) && (other == null || other.submittedAt() == Caller.NOT_YET)) {
                throw new Violation("a call succeeded before a rank that it needs began it: " + caller + ", before="
                        + part.groupRank());
            }
        }
        Tensors tensors = caller.tensors();
        // A rank that cuts otherwise for another has other elements for this one, too.
        boolean cutOtherwise = plan.flaw() == CallPlan.Flaw.MISMATCH && plan.against() != Shape.Odd.EVERYONE;
        if (tensors != null && !cutOtherwise) {
            long at =
                    tensors.outputDiffersAt(expected.output(plan, caller.part().groupRank()));
            if (at >= 0) {
                throw new Violation("a result is wrong: byte=" + at + ", " + caller);
            }
        }
    }

    private void message(CallPlan.Flow flow, Caller caller, Work work) {
        boolean sends = caller.part().role() == RankCall.Role.SENDER;
        if (!caller.part().shape().equals(flow.shape())) {
            throw new Violation("a message of another shape than its receive succeeded: " + caller);
        }
        if (!flow.fromAny() && work.peer() != caller.part().peer()) {
            throw new Violation("a message names another peer than its own: peer=" + work.peer() + ", " + caller);
        }
        Tensors tensors = caller.tensors();
        if (!sends && !flow.fromAny() && tensors != null) {
            long at = tensors.outputDiffersAt(Expected.message(flow, work.peer(), caller.sequence()));
            if (at >= 0) {
                throw new Violation("a message is wrong or not the one in turn: byte=" + at + ", " + caller);
            }
        }
        if (!sends && flow.fromAny() && tensors != null) {
            caller.received(turn(flow, work.peer(), tensors, caller));
        }
    }

    /** {@return which message of a source a receive from any took} */
    private static int turn(CallPlan.Flow flow, int source, Tensors tensors, Caller caller) {
        for (int turn = 0; turn < flow.parts().size(); turn++) {
            if (tensors.outputDiffersAt(Expected.message(flow, source, turn)) < 0) {
                return turn;
            }
        }
        throw new Violation("a message is none that its source sent: source=" + source + ", " + caller);
    }

    void failed(Caller caller, Failure failure) {
        agenda.tell(caller.rank().rank(), () -> "call " + caller.plan().index() + " failed: " + failure);
        checkInput(caller);
        BodyStep inside = caller.plan().inside();
        if (CompositeJudge.explains(inside, failure) || inside != null && hasLostMessages(inside.body(), failure)) {
            return;
        }
        if (!plausible(caller).contains(failure.kind()) || failure.text().contains("broke the protocol")) {
            throw new Violation("a call failed for no good reason: " + failure + ", " + caller + ", plausible="
                    + plausible(caller));
        }
        switch (failure.kind()) {
            case MISMATCH -> mismatch(caller, failure);
            case TIMEOUT -> timeout(caller, failure);
            case PEER_LOST, CLOSED ->
                culprit(teams(caller.plan().team(), caller.plan().inside()), failure);
            case INVALID -> {
                if (!failure.text().startsWith("got nonsense")) {
                    throw new Violation("an invalid call's failure says something else: " + failure);
                }
            }
            case UNSUPPORTED, INTERNAL -> throw new Violation("no call can fail so: " + failure);
        }
    }

    private Set<Failure.Kind> plausible(Caller caller) {
        CallPlan plan = caller.plan();
        boolean isFlow = plan instanceof CallPlan.Flow;
        Set<Failure.Kind> kinds = EnumSet.noneOf(Failure.Kind.class);
        switch (plan.flaw()) {
            case NONE -> {}
            case MISMATCH -> kinds.add(Failure.Kind.MISMATCH);
            case INVALID -> {
                kinds.add(Failure.Kind.INVALID);
                if (plan instanceof CallPlan.Flow flow && flow.fromAny()) {
                    kinds.add(Failure.Kind.TIMEOUT);
                }
            }
            case ABSENT, HURRY -> kinds.add(Failure.Kind.TIMEOUT);
        }
        BodyStep inside = plan.inside();
        boolean isFlawed = plan.flaw() != CallPlan.Flaw.NONE;
        if (isFlow && isFlawed && inside != null) {
            // Its short time also runs while other ranks are still at earlier calls of their bodies.
            kinds.add(Failure.Kind.TIMEOUT);
        }
        addTroubles(plan.team(), inside, isFlow || inside != null, isFlawed, kinds);
        return kinds;
    }

    /** {@return the groups whose end is one of a call, too: its own, and those of the composites that it is in} */
    private static List<SimulatedGroup> teams(SimulatedGroup team, @Nullable BodyStep inside) {
        List<SimulatedGroup> all = new ArrayList<>(List.of(team));
        for (BodyStep each = inside; each != null; each = each.body().inside()) {
            all.add(each.body().team());
        }
        return all;
    }

    /** @param mayWait whether it waits for a message from any rank, of which nobody knows that it does not come, or for a rank that waits so */
    private void addTroubles(
            SimulatedGroup own, @Nullable BodyStep inside, boolean mayWait, boolean isFlawed, Set<Failure.Kind> kinds) {
        boolean canFail = isFlawed || inside != null && inside.body().isFaulty();
        for (SimulatedGroup team : teams(own, inside)) {
            addTroubles(team, mayWait, kinds);
            addPartings(team, mayWait, canFail, kinds);
            if (inside != null && team.parting() == SimulatedGroup.Parting.AFTER_CALLS && !kinds.isEmpty()) {
                // It was about to begin when its composite had failed, and with that this rank's last call.
                kinds.add(Failure.Kind.CLOSED);
            }
        }
    }

    private void addTroubles(SimulatedGroup team, boolean mayWait, Set<Failure.Kind> kinds) {
        if (!scenario.trouble().concerns(team)) {
            return;
        }
        switch (scenario.trouble().kind()) {
            case NONE -> {}
            case CRASH, CUT, SILENCE -> kinds.add(Failure.Kind.PEER_LOST);
            case LEAVE -> {
                kinds.add(Failure.Kind.PEER_LOST);
                kinds.add(Failure.Kind.CLOSED);
                if (mayWait) {
                    kinds.add(Failure.Kind.TIMEOUT);
                }
            }
            case ABORT -> kinds.add(Failure.Kind.CLOSED);
        }
    }

    /** A member that leaves once its calls have ended takes nothing from the others, unless their calls can fail anyway. */
    private void addPartings(SimulatedGroup team, boolean mayWait, boolean canFail, Set<Failure.Kind> kinds) {
        if (scenario.mayNotForm(team)) {
            kinds.add(Failure.Kind.CLOSED);
        }
        if (team.parting() == SimulatedGroup.Parting.EARLY) {
            kinds.add(Failure.Kind.PEER_LOST);
            kinds.add(Failure.Kind.CLOSED);
            if (mayWait) {
                kinds.add(Failure.Kind.TIMEOUT);
            }
        } else if (team.parting() == SimulatedGroup.Parting.AFTER_CALLS && (canFail || !kinds.isEmpty())) {
            kinds.add(Failure.Kind.PEER_LOST);
        }
    }

    /** A composite ends: with the cause that it has, on every rank whose own was unfinished. */
    void ended(VirtualBody body, @Nullable Failure failure) {
        composites.ends(body);
        if (failure == null) {
            composites.succeeded(body);
        } else if (!CompositeJudge.explains(body.plan(), failure) && !hasLostMessages(body.plan(), failure)) {
            SimulatedComposite plan = body.plan();
            Set<Failure.Kind> kinds = EnumSet.noneOf(Failure.Kind.class);
            addTroubles(plan.team(), plan.inside(), true, plan.isFaulty(), kinds);
            if (kinds.contains(Failure.Kind.PEER_LOST)) {
                // Whoever has left the group for good says so to those who run it.
                kinds.add(Failure.Kind.CLOSED);
            }
            if (!kinds.contains(failure.kind())) {
                throw new Violation(
                        "a composite failed for no good reason: " + failure + ", " + body + ", plausible=" + kinds);
            }
            if (failure.kind() != Failure.Kind.TIMEOUT) {
                culprit(teams(plan.team(), plan.inside()), failure);
            }
        }
    }

    /**
     * {@return whether a composite was over before a message in it came, though nothing is wrong with it} A receive from any vanishes with its deadline,
     * where a rank that left sends nothing to it or to those whom its sender waits for: then a later message finds none.
     */
    private boolean hasLostMessages(SimulatedComposite plan, Failure failure) {
        Set<Failure.Kind> kinds = EnumSet.noneOf(Failure.Kind.class);
        addTroubles(plan.team(), plan.inside(), true, plan.isFaulty(), kinds);
        boolean isOne =
                CompositeJudge.isOver(plan, failure) && kinds.contains(Failure.Kind.TIMEOUT) && receivesFromAny(plan);
        BodyStep around = plan.inside();
        return isOne || around != null && hasLostMessages(around.body(), failure);
    }

    private boolean receivesFromAny(SimulatedComposite plan) {
        return scenario.plans().stream()
                .anyMatch(call -> call instanceof CallPlan.Flow flow && flow.fromAny() && isIn(flow.inside(), plan));
    }

    private static boolean isIn(@Nullable BodyStep place, SimulatedComposite plan) {
        return place != null && (place.body() == plan || isIn(place.body().inside(), plan));
    }

    private void mismatch(Caller caller, Failure failure) {
        if (caller.plan() instanceof CallPlan.Flow) {
            if (!failure.text().contains("message and receive differ")) {
                throw new Violation("a message's mismatch says something else: " + failure);
            }
            return;
        }
        boolean prompt = scenario.weather().mostNanos() <= PROMPT_NANOS && !isTroubled(caller.plan());
        for (int rank : caller.plan().team().worldRanks()) {
            if (!failure.text().contains("rank " + rank + " ")) {
                throw new Violation("a mismatch leaves out a rank: rank=" + rank + ", " + failure);
            }
        }
        for (RankCall part : caller.plan().parts()) {
            int worldRank = caller.plan().team().worldRanks().get(part.groupRank());
            Caller other = callers.get(part);
            String called = "rank " + worldRank + " called " + (other == null ? "" : other.description());
            if (prompt
                    && part.groupRank() == caller.plan().odd()
                    && !failure.text().contains(called)) {
                throw new Violation("a mismatch does not say what the odd rank called: " + called + ", " + failure);
            }
        }
    }

    /** A rank that never came is named; and nobody else is by a barrier that is there to tell. */
    private void timeout(Caller caller, Failure failure) {
        boolean prompt = scenario.weather().mostNanos() <= PROMPT_NANOS && !isTroubled(caller.plan());
        if (prompt && caller.plan() instanceof CallPlan.Together plan && plan.flaw() == CallPlan.Flaw.ABSENT) {
            int absent = plan.team().worldRanks().get(plan.odd());
            boolean exactly = plan.shape().form() == Form.MONITORED_BARRIER;
            if (!failure.missing().contains(absent)
                    || (exactly && failure.missing().size() > 1)) {
                throw new Violation(
                        "a timeout does not name the rank that is missing: missing=" + absent + ", " + failure);
            }
        }
    }

    private boolean isTroubled(CallPlan plan) {
        BodyStep inside = plan.inside();
        return inside != null && inside.body().isFaulty()
                || teams(plan.team(), inside).stream().anyMatch(this::isTroubled);
    }

    private boolean isTroubled(SimulatedGroup team) {
        return scenario.trouble().concerns(team)
                || team.parting() != SimulatedGroup.Parting.STAY
                || scenario.mayNotForm(team);
    }

    private void culprit(List<SimulatedGroup> teams, Failure failure) {
        if (teams.stream().noneMatch(team -> mayBlame(team, failure.culprit()))) {
            throw new Violation("a failure blames a rank that did nothing: " + failure + ", groups=" + teams);
        }
    }

    private boolean mayBlame(SimulatedGroup team, int rank) {
        WorldFault trouble = scenario.trouble();
        boolean anyMember = trouble.kind() == WorldFault.Kind.CUT
                || scenario.mayNotForm(team)
                || team.parting() == SimulatedGroup.Parting.AFTER_CALLS;
        boolean isEarly = team.parting() == SimulatedGroup.Parting.EARLY;
        boolean isDeaf = trouble.kind() == WorldFault.Kind.SILENCE && trouble.has(rank);
        return anyMember || isEarly || isDeaf || rank == trouble.rank();
    }

    /** A tensor that is only read never changes, whatever becomes of the call. */
    private static void checkInput(Caller caller) {
        Tensors tensors = caller.tensors();
        if (tensors == null || !caller.onlyReadsInput()) {
            return;
        }
        long at = tensors.inputDiffersAt(Expected.input(caller));
        if (at >= 0) {
            throw new Violation("a call wrote its input: byte=" + at + ", " + caller);
        }
    }
}
