package io.reactivecomm.mpi;

import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;

/**
 * The maker of plans: which of MPI's calls, with which memory, a call takes. What decides between two ways is the same on all ranks.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Planner {

    private final Plan plan;
    private final ReductionPlanner reductions;
    private final MovePlanner moves;

    private Planner(PlanPlace place, PlanMemory memory) {
        this.plan = new Plan(memory);
        this.reductions = new ReductionPlanner(place, plan);
        this.moves = new MovePlanner(place, plan);
    }

    /** {@return the plan of a call; what has to be done to its tensors first has been} */
    static Plan plan(PlanPlace place, PlanMemory memory, Collective call) {
        Planner planner = new Planner(place, memory);
        try {
            planner.add(call);
            return planner.plan;
        } catch (RuntimeException | Error e) {
            planner.plan.free();
            throw e;
        }
    }

    private void add(Collective call) {
        if (call instanceof Coalesced scope) {
            scope.fused().forEach(this::add);
            scope.messages().calls().forEach(this::add);
            return;
        }
        switch (call.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> reductions.allReduce(call);
            case REDUCE -> reductions.reduce(call);
            case REDUCE_SCATTER -> reductions.reduceScatter(call);
            case BROADCAST -> moves.broadcast(call);
            case ALL_GATHER -> moves.allGather(call);
            case ALL_TO_ALL -> moves.allToAll(call);
            case GATHER -> moves.gather(call);
            case SCATTER -> moves.scatter(call);
            case MESSAGE -> moves.message(call);
            case BARRIER, MONITORED_BARRIER, NEW_GROUP, COALESCED ->
                throw new IllegalArgumentException("no call for MPI: call=" + call.describe());
        }
    }
}
