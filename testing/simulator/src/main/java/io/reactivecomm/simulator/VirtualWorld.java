package io.reactivecomm.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One schedule: the ranks of a scenario, their network and callers, from the first event to the last. */
final class VirtualWorld {

    /**
     * Far more than any schedule needs: one that goes beyond it turns in circles. Calls that wait for a receive from any, whose sender has left, ask
     * for ten seconds what others do, each half millisecond.
     */
    private static final int MOST_EVENTS = 2_000_000;

    /** A program that runs on the ranks beside the scenario's calls. */
    interface Program {

        /** The ranks have their first groups, and nothing has happened. */
        void begin(List<VirtualRank> ranks);

        /** Nothing happens any more: requires that all is as it must be. */
        void inspect();
    }

    private final Scenario scenario;
    private final VirtualNetwork network;
    private final Judge judge;
    private final List<VirtualRank> ranks = new ArrayList<>();
    private final List<Caller> callers = new ArrayList<>();
    private final List<VirtualBody> bodies = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();

    VirtualWorld(Scenario scenario, VirtualNetwork network) {
        this.scenario = scenario;
        this.network = network;
        this.judge = new Judge(scenario, network.agenda());
    }

    /** Runs the schedule to its end and checks it. */
    void run(List<? extends Program> programs) {
        connect();
        try {
            scenario.composites().forEach(this::enlist);
            scenario.plans().forEach(this::enlist);
            ranks.forEach(VirtualRank::begin);
            programs.forEach(program -> program.begin(ranks));
            befall(scenario.trouble());
            while (network.agenda().next()) {
                if (network.agenda().happened() > MOST_EVENTS) {
                    throw new Violation("events do not come to an end: happened="
                            + network.agenda().happened());
                }
            }
            programs.forEach(Program::inspect);
            new Inspection(scenario, network, ranks, callers, bodies).run();
        } finally {
            ranks.forEach(VirtualRank::close);
        }
    }

    private void connect() {
        int size = scenario.worldSize();
        @Nullable VirtualLink[][] links = new @Nullable VirtualLink[size][size];
        for (int rank = 0; rank < size; rank++) {
            ranks.add(new VirtualRank(rank, network));
            for (int peer = 0; peer < rank; peer++) {
                List<VirtualLink> ends = VirtualLink.pair(network, ranks.get(rank), ranks.get(peer));
                links[rank][peer] = ends.get(0);
                links[peer][rank] = ends.get(1);
            }
        }
        for (int rank = 0; rank < size; rank++) {
            List<VirtualLink> own = new ArrayList<>();
            for (VirtualLink link : links[rank]) {
                if (link != null) {
                    own.add(link);
                }
            }
            ranks.get(rank).connect(own, scenario.limits(), scenario.teams());
        }
    }

    /** Those that others are in come first. */
    private void enlist(SimulatedComposite plan) {
        for (SimulatedComposite.RankBody part : plan.parts()) {
            VirtualRank rank = ranks.get(plan.team().worldRanks().get(part.groupRank()));
            Membership membership = rank.membership(plan.team().id());
            BodyStep inside = plan.inside();
            VirtualBody outer = inside == null ? null : body(inside, rank);
            if (inside != null && outer == null) {
                continue;
            }
            VirtualBody body = new VirtualBody(plan, part, rank, network, judge, membership, outer);
            bodies.add(body);
            enlist(membership, inside, outer, null).accept(part.at(), () -> {
                if (canCall(rank, plan.team())) {
                    body.begin();
                }
            });
        }
    }

    /** {@return what has things happen some time after the call that it is for could begin, of which there is one more} */
    private static BiConsumer<Long, Runnable> enlist(
            Membership membership, @Nullable BodyStep inside, @Nullable VirtualBody body, @Nullable Caller caller) {
        if (inside == null || body == null) {
            membership.expectCall();
            return membership::plan;
        }
        body.expect(inside.step(), caller);
        return (after, action) -> body.plan(inside.step(), after, action);
    }

    /** {@return the body that makes a rank's part, or null if that rank does not run it} */
    private @Nullable VirtualBody body(BodyStep inside, VirtualRank rank) {
        return bodies.stream()
                .filter(body -> body.plan() == inside.body() && body.rank() == rank)
                .findFirst()
                .orElse(null);
    }

    private void enlist(CallPlan plan) {
        BodyStep inside = plan.maker();
        for (RankCall part : plan.parts()) {
            VirtualRank rank = ranks.get(plan.team().worldRanks().get(part.groupRank()));
            Membership membership = rank.membership(plan.team().id());
            VirtualBody body = inside == null ? null : body(inside, rank);
            if (inside != null && body == null) {
                continue;
            }
            Caller caller = new Caller(plan, part, rank, judge, membership, body);
            callers.add(caller);
            judge.add(caller);
            BiConsumer<Long, Runnable> agenda = enlist(membership, inside, body, caller);
            agenda.accept(part.at(), () -> subscribe(caller));
            if (part.demandAfter() > 0) {
                agenda.accept(part.at() + part.demandAfter(), caller::ask);
            }
            if (part.cancelAfter() != RankCall.NEVER) {
                agenda.accept(part.at() + part.cancelAfter(), caller::cancel);
            }
        }
    }

    private static boolean canCall(VirtualRank rank, SimulatedGroup team) {
        return !rank.hasCrashed() && (!rank.hasLeft() || team.id() == 0);
    }

    private void subscribe(Caller caller) {
        if (!canCall(caller.rank(), caller.plan().team())) {
            return;
        }
        if (caller.part().demandAfter() == 0) {
            caller.ask();
        }
        String queue = caller.plan().index() + " "
                + switch (caller.part().role()) {
                    case MEMBER -> "";
                    case SENDER -> "from " + caller.part().groupRank();
                    case RECEIVER -> "by " + caller.part().peer();
                };
        int place = places.merge(queue, 1, Integer::sum) - 1;
        caller.subscribe(place, scenario, network);
    }

    private void befall(WorldFault trouble) {
        VirtualRank rank = ranks.get(trouble.rank());
        switch (trouble.kind()) {
            case NONE -> {}
            case CRASH -> network.agenda().at(trouble.at(), rank::crash);
            case LEAVE -> network.agenda().at(trouble.at(), rank::leave);
            case ABORT ->
                network.agenda()
                        .at(
                                trouble.at(),
                                () -> abort(rank.membership(trouble.team().id())));
            case SILENCE ->
                network.agenda().at(trouble.at(), () -> {
                    rank.hush(trouble.other());
                    ranks.get(trouble.other()).hush(trouble.rank());
                });
            case CUT ->
                network.agenda().at(trouble.at(), () -> {
                    rank.cut(trouble.other());
                    ranks.get(trouble.other()).cut(trouble.rank());
                });
        }
    }

    /** A rank cannot abort a group that it does not have. */
    private void abort(Membership membership) {
        if (!membership.isOver()) {
            VirtualRank rank = membership.rank();
            rank.event(() -> rank.engine()
                    .abort(
                            membership.group(),
                            "the simulator says so",
                            network.agenda().now()));
        }
    }
}
