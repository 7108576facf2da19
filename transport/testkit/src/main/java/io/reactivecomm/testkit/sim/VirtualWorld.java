package io.reactivecomm.testkit.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One schedule: the ranks of a scenario, their network and callers, from the first event to the last. */
final class VirtualWorld {

    /** Far more than any schedule needs: one that goes beyond it turns in circles. */
    private static final int MOST_EVENTS = 200_000;

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
            scenario.plans().forEach(this::enlist);
            ranks.forEach(VirtualRank::begin);
            programs.forEach(program -> program.begin(ranks));
            befall(scenario.trouble());
            while (network.agenda().next()) {
                if (network.agenda().happened() > MOST_EVENTS) {
                    throw new Violation("events do not come to an end: happened=" + network.agenda().happened());
                }
            }
            programs.forEach(Program::inspect);
            new Inspection(scenario, network, ranks, callers).run();
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

    private void enlist(CallPlan plan) {
        for (RankCall part : plan.parts()) {
            VirtualRank rank = ranks.get(plan.team().worldRanks().get(part.groupRank()));
            Membership membership = rank.membership(plan.team().id());
            Caller caller = new Caller(plan, part, rank, judge, membership);
            callers.add(caller);
            judge.add(caller);
            membership.expectCall();
            membership.plan(part.at(), () -> subscribe(caller));
            if (part.demandAfter() > 0) {
                membership.plan(part.at() + part.demandAfter(), caller::ask);
            }
            if (part.cancelAfter() != RankCall.NEVER) {
                membership.plan(part.at() + part.cancelAfter(), caller::cancel);
            }
        }
    }

    private void subscribe(Caller caller) {
        boolean isOut = caller.rank().hasLeft();
        if (caller.rank().hasCrashed() || (isOut && caller.plan().team().id() != 0)) {
            return;
        }
        if (caller.part().demandAfter() == 0) {
            caller.ask();
        }
        String queue = caller.plan().index() + " " + switch (caller.part().role()) {
            case MEMBER -> "";
            case SENDER -> "from " + caller.part().groupRank();
            case RECEIVER -> "by " + caller.part().peer();
        };
        int place = places.merge(queue, 1, Integer::sum) - 1;
        caller.subscribe(place, scenario.selection(), network);
    }

    private void befall(WorldFault trouble) {
        VirtualRank rank = ranks.get(trouble.rank());
        switch (trouble.kind()) {
            case NONE -> {}
            case CRASH -> network.agenda().at(trouble.at(), rank::crash);
            case LEAVE -> network.agenda().at(trouble.at(), rank::leave);
            case ABORT -> network.agenda().at(trouble.at(), () -> abort(rank.membership(trouble.team().id())));
            case SILENCE -> network.agenda().at(trouble.at(), () -> {
                rank.hush(trouble.other());
                ranks.get(trouble.other()).hush(trouble.rank());
            });
            case CUT -> network.agenda().at(trouble.at(), () -> {
                rank.cut(trouble.other());
                ranks.get(trouble.other()).cut(trouble.rank());
            });
        }
    }

    /** A rank cannot abort a group that it does not have. */
    private void abort(Membership membership) {
        if (!membership.isOver()) {
            VirtualRank rank = membership.rank();
            rank.event(() -> rank.engine().abort(membership.group(), "the simulator says so", network.agenda().now()));
        }
    }
}
