package io.reactivecomm.testkit.sim;

import io.reactivecomm.DType;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.Oracle;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What calls should give, from the sequential oracle, and whose part each result needs. */
final class Expected {

    /** More than any flow has messages of one source. */
    private static final int MOST_MESSAGES = 16;

    private final Map<Integer, byte[]> folds = new HashMap<>();

    /** {@return what tells the inputs of calls apart} */
    static int salt(Plan plan) {
        return 1 + plan.index();
    }

    /** {@return what tells the inputs of one call's ranks, or of one flow's messages, apart} */
    static int giver(Caller caller) {
        return caller.part().role() == Part.Role.SENDER
                ? message(caller.part().groupRank(), caller.sequence())
                : caller.part().groupRank();
    }

    private static int message(int source, int sequence) {
        return source * MOST_MESSAGES + sequence;
    }

    /** {@return the bytes of a flow's message} */
    static byte[] message(Plan.Flow flow, int source, int sequence) {
        return given(flow.shape().type(), salt(flow), message(source, sequence), flow.shape().count());
    }

    /** {@return what a caller put in} */
    static byte[] input(Caller caller) {
        Shape shape = caller.part().shape();
        return given(shape.type(), salt(caller.plan()), giver(caller), shape.inputCount(caller.plan().team().size()));
    }

    private static byte[] given(DType type, int salt, int giver, long count) {
        byte[] bytes = new byte[Math.toIntExact(count * type.byteSize())];
        Inputs.fill(MemorySegment.ofArray(bytes), type, salt, giver);
        return bytes;
    }

    /** {@return the result of a collective in a rank's output} */
    byte[] output(Plan.Together plan, int groupRank) {
        Shape shape = plan.shape();
        int size = plan.team().size();
        DType type = shape.type();
        int salt = salt(plan);
        return switch (shape.operation()) {
            case ALL_REDUCE -> folded(plan);
            case REDUCE -> groupRank == shape.root() ? folded(plan) : given(type, salt, groupRank, shape.count());
            case BROADCAST -> given(type, salt, shape.root(), shape.count());
            case REDUCE_SCATTER -> part(folded(plan), groupRank, size);
            case ALL_GATHER -> gathered(plan);
            case BARRIER -> new byte[0];
            case MESSAGE -> throw new IllegalArgumentException("not a collective");
        };
    }

    private byte[] folded(Plan.Together plan) {
        Shape shape = plan.shape();
        int size = plan.team().size();
        return folds.computeIfAbsent(
                plan.index(), ignored -> Oracle.folded(shape.type(), shape.op(), salt(plan), size, shape.inputCount(size)));
    }

    private static byte[] part(byte[] whole, int index, int parts) {
        int length = whole.length / parts;
        return Arrays.copyOfRange(whole, index * length, (index + 1) * length);
    }

    private static byte[] gathered(Plan.Together plan) {
        int length = Math.toIntExact(plan.shape().count() * plan.shape().type().byteSize());
        byte[] all = new byte[length * plan.team().size()];
        for (int rank = 0; rank < plan.team().size(); rank++) {
            byte[] one = given(plan.shape().type(), salt(plan), rank, plan.shape().count());
            System.arraycopy(one, 0, all, rank * length, length);
        }
        return all;
    }

    /** {@return the ranks of the group without whom a rank's result cannot be} */
    static List<Integer> needs(Plan.Together plan, int groupRank) {
        List<Integer> all = IntStream.range(0, plan.team().size()).boxed().toList();
        return switch (plan.shape().operation()) {
            case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BARRIER -> all;
            case REDUCE -> groupRank == plan.shape().root() ? all : List.of(groupRank);
            case BROADCAST -> List.of(plan.shape().root(), groupRank);
            case MESSAGE -> throw new IllegalArgumentException("not a collective");
        };
    }
}
