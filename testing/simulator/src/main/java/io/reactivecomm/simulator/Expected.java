package io.reactivecomm.simulator;

import io.reactivecomm.testkit.collective.Result;
import io.reactivecomm.testkit.collective.TensorLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The expected results of calls, from the sequential oracle, and the ranks whose part each result needs. */
final class Expected {

    /** More than any flow has messages of one source. */
    private static final int MOST_MESSAGES = 16;

    private final Map<Integer, Result> results = new HashMap<>();

    /** {@return what tells the inputs of calls apart} */
    static int salt(CallPlan plan) {
        return 1 + plan.index();
    }

    /** {@return what tells the inputs of one call's ranks, or of one flow's messages, apart} */
    static int giver(Caller caller) {
        return caller.part().role() == RankCall.Role.SENDER
                ? message(caller.part().groupRank(), caller.sequence())
                : caller.part().groupRank();
    }

    private static int message(int source, int sequence) {
        return source * MOST_MESSAGES + sequence;
    }

    /** {@return the bytes of a flow's message} */
    static byte[] message(CallPlan.Flow flow, int source, int sequence) {
        return Result.given(
                flow.shape().type(),
                salt(flow),
                message(source, sequence),
                flow.shape().lengths().getFirst());
    }

    /** {@return what a caller put in, one input after the other} */
    static byte[] input(Caller caller) {
        return Result.given(
                caller.part().shape().type(),
                salt(caller.plan()),
                giver(caller),
                TensorLayout.total(caller.layout().inputs()));
    }

    /** {@return the result of a collective in a rank's outputs, one after the other} */
    byte[] output(CallPlan.Together plan, int rank) {
        Shape shape = plan.shape();
        Result result = results.computeIfAbsent(
                plan.index(),
                ignored -> new Result(
                        new Result.Question(shape.form(), shape.type(), shape.lengths(), shape.root(), shape.op()),
                        plan.team().size(),
                        salt(plan)));
        return result.output(rank);
    }

    /** {@return the ranks of the group without whom a rank's result cannot be} */
    static List<Integer> needs(CallPlan.Together plan, int rank) {
        List<Integer> all = IntStream.range(0, plan.team().size()).boxed().toList();
        int root = plan.shape().root();
        return switch (plan.shape().operation()) {
            case ALL_REDUCE,
                    INFERENCE_ALL_REDUCE,
                    ALL_GATHER,
                    REDUCE_SCATTER,
                    ALL_TO_ALL,
                    BARRIER,
                    MONITORED_BARRIER,
                    NEW_GROUP,
                    COALESCED -> all;
            case REDUCE -> rank == root ? all : List.of(rank);
            case BROADCAST -> List.of(root, rank);
            case GATHER, SCATTER -> rank == root ? all : List.of(root, rank);
            case MESSAGE -> throw new IllegalArgumentException("not a collective");
        };
    }

    /** {@return the ranks that cannot succeed because of a plan's flaw} */
    static boolean mustFail(CallPlan.Together plan, int rank) {
        return switch (plan.flaw()) {
            case NONE, HURRY -> false;
            case MISMATCH ->
                plan.against() == Shape.Odd.EVERYONE
                        ? needs(plan, rank).contains(plan.odd())
                        : rank == plan.odd() || rank == plan.against();
            case INVALID, ABSENT -> needs(plan, rank).contains(plan.odd());
        };
    }
}
