package io.reactivecomm.testkit.sim;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.bucket.DrivenBuckets;
import io.reactivecomm.bucket.Parameter;
import io.reactivecomm.bucket.ResultOrder;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.Oracle;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds the steps of a training against the oracle and the contracts. */
final class TrainingJudge implements VirtualWorld.Program {

    /** How late an end may be after a deadline: turns and timers come late, by less than this. */
    private static final long SLACK_NANOS = 2_000_000;

    private final TrainingScenario training;
    private final Scenario scenario;
    private final VirtualNetwork network;
    private final List<TrainingRank> ranks = new ArrayList<>();
    private final List<TrainingCall> calls = new ArrayList<>();
    private final Map<Integer, byte[]> sums = new HashMap<>();
    private final boolean isTroubled;

    TrainingJudge(TrainingScenario training, Scenario scenario, VirtualNetwork network) {
        this.training = training;
        this.scenario = scenario;
        this.network = network;
        this.isTroubled = scenario.trouble().concerns(training.team());
    }

    @Override
    public void begin(List<VirtualRank> all) {
        for (int worldRank : training.team().worldRanks()) {
            ranks.add(
                    new TrainingRank(training, ranks.size(), all.get(worldRank), network, scenario.selection(), this));
        }
        for (TrainingRank rank : ranks) {
            TrainingCargo.check(
                    rank.buckets().cargo(), ranks.getFirst().buckets().cargo(), training);
            rank.begin();
        }
    }

    /** A call is made. */
    void add(TrainingCall call) {
        calls.add(call);
    }

    /** Fills a gradient. */
    void fill(MemorySegment memory, int step, int parameter, int groupRank) {
        Inputs.fill(
                memory, training.parameters().get(parameter).type(), TrainingScenario.salt(step, parameter), groupRank);
    }

    /** {@return the reduced gradient, from the sequential oracle; those that are missing count as zeros} */
    private byte[] expected(int step, int parameter) {
        return sums.computeIfAbsent(TrainingScenario.salt(step, parameter), salt -> {
            Parameter of = training.parameters().get(parameter);
            byte[] sum = new byte[(int) of.count() * of.type().byteSize()];
            for (int i = 0; i < of.count(); i++) {
                Inputs.put(MemorySegment.ofArray(sum), of.type(), i, folded(step, parameter, salt, of.type(), i));
            }
            return sum;
        });
    }

    private long folded(int step, int parameter, int salt, DType type, int element) {
        long[] contributions = new long[ranks.size()];
        for (int rank = 0; rank < contributions.length; rank++) {
            boolean isThere = training.parts().get(rank).get(step).ready().contains(parameter);
            contributions[rank] = isThere ? Inputs.bits(type, salt, rank, element) : 0;
        }
        return Oracle.folded(
                type, (ReduceOp) ranks.getFirst().options().scaling().reduction(contributions.length), contributions);
    }

    private long differsAt(MemorySegment result, int step, Parameter parameter) {
        MemorySegment expected =
                MemorySegment.ofArray(expected(step, training.parameters().indexOf(parameter)));
        return result.mismatch(expected);
    }

    /** A call ends: once, and by its deadline, and soon where a member has crashed. */
    private void ends(TrainingCall call) {
        network.agenda().note(call.bucket(), network.agenda().now());
        if (call.hasEnded()) {
            throw new Violation("a call ended twice: " + call);
        }
        long due = call.submittedAt() + call.step().part().timeoutNanos();
        if (scenario.trouble().kind() == WorldFault.Kind.CRASH
                && scenario.trouble().concerns(training.team())) {
            due = Math.min(
                    due,
                    Math.max(
                            call.submittedAt(),
                            scenario.trouble().at() + 2 * scenario.weather().longestDelay()));
        }
        if (network.agenda().now() > due + SLACK_NANOS) {
            throw new Violation("a call ended late: due=" + due + ", now="
                    + network.agenda().now() + ", " + call);
        }
    }

    void succeeded(TrainingCall call) {
        network.agenda().tell(call.step().rank().rank().rank(), () -> call + " succeeded");
        ends(call);
        int step = call.step().number();
        for (TrainingRank rank : ranks) {
            TrainingCall part = rank.steps().get(step).calls().get(call.bucket());
            if (part == null || !part.isValid()) {
                throw new Violation("a bucket succeeded without a rank: without="
                        + rank.rank().rank() + ", " + call);
            }
        }
        DrivenBuckets.Cargo cargo = call.step().rank().buckets().cargo().get(call.bucket());
        for (DrivenBuckets.Stowed each : cargo.gradients()) {
            int width = cargo.type().byteSize();
            MemorySegment place = call.tensor()
                    .segment()
                    .asSlice(each.from() * width, each.parameter().count() * width);
            long at = differsAt(place, step, each.parameter());
            if (at >= 0) {
                throw new Violation(
                        "a bucket's sum is wrong: byte=" + at + ", gradient=" + each.parameter() + ", " + call);
            }
        }
    }

    void failed(TrainingCall call, Failure failure) {
        network.agenda().tell(call.step().rank().rank().rank(), () -> call + " failed: " + failure);
        ends(call);
        if (!plausible(call.step().number()).contains(failure.kind())
                || failure.text().contains("broke the protocol")) {
            throw new Violation("a bucket failed for no good reason: " + failure + ", " + call + ", plausible="
                    + plausible(call.step().number()));
        }
    }

    /** {@return whether anything may end that step early, whatever became of those before} */
    private boolean isTroubled(int step) {
        return isTroubled || training.mayBeCancelled(step) || training.mayTimeOut(step);
    }

    private Set<Failure.Kind> plausible(int step) {
        Set<Failure.Kind> kinds = EnumSet.noneOf(Failure.Kind.class);
        if (isTroubled(step)) {
            // A bucket may begin as its step ends.
            kinds.add(Failure.Kind.INVALID);
        }
        if (training.mayBeCancelled(step)) {
            kinds.add(Failure.Kind.CLOSED);
        }
        if (training.mayTimeOut(step)) {
            kinds.add(Failure.Kind.TIMEOUT);
        }
        if (scenario.trouble().concerns(training.team())) {
            switch (scenario.trouble().kind()) {
                case NONE -> {}
                case CRASH, CUT, SILENCE -> kinds.add(Failure.Kind.PEER_LOST);
                case LEAVE -> kinds.addAll(Set.of(Failure.Kind.PEER_LOST, Failure.Kind.CLOSED));
                case ABORT -> kinds.add(Failure.Kind.CLOSED);
            }
        }
        return kinds;
    }

    /** A consumer takes a result: it is right, and is the consumer's alone. */
    void result(SimulatedStep step, Gradient result) {
        Parameter parameter = new Parameter(
                result.name(), result.tensor().type(), result.tensor().count());
        long at = differsAt(result.tensor().segment(), step.number(), parameter);
        if (at >= 0) {
            throw new Violation("a result is wrong: byte=" + at + ", gradient=" + parameter + ", " + step);
        }
        if (!result.tensor().released().toFuture().isDone()) {
            throw new Violation("a result is still borrowed: gradient=" + parameter + ", " + step);
        }
        ScribbledMemory.Region memory = step.memoryOf(result.name());
        if (memory != null) {
            network.memory().release(memory);
        }
    }

    @Override
    public void inspect() {
        for (TrainingCall call : calls) {
            if (!call.hasEnded() && !call.step().rank().rank().hasCrashed()) {
                throw new Violation("a call never ended: " + call);
            }
            blames(call, call.failure());
        }
        for (TrainingRank rank : ranks) {
            if (!rank.rank().hasCrashed()) {
                rank.steps().forEach(this::step);
            }
        }
    }

    /** Who is said to have left a step did. */
    private void blames(TrainingCall call, @Nullable Failure failure) {
        if (failure != null && failure.kind() == Failure.Kind.CLOSED && !isTroubled) {
            TrainingRank culprit = ranks.get(training.team().worldRanks().indexOf(failure.culprit()));
            if (!culprit.steps().get(call.step().number()).consumer().hasLeft()) {
                throw new Violation("a failure blames a rank that has not left: " + failure + ", " + call);
            }
        }
    }

    private void step(SimulatedStep step) {
        if (!step.isOver()) {
            throw new Violation("a step never ended: " + step);
        }
        if (!step.isEarly()
                && step.calls().size() != step.rank().buckets().cargo().size()) {
            throw new Violation("a step left out buckets: calls=" + step.calls().size() + ", " + step);
        }
        if (step.isEarly() && !isTroubled(step.number())) {
            throw new Violation("a step ended early for no good reason: " + step);
        }
        if (!step.rank().isEmpty()) {
            throw new Violation("a bucket keeps its memory: " + step);
        }
        results(step);
    }

    /** What the buckets brought that were reduced, and in the order of parameters where that was asked for. */
    private void results(SimulatedStep step) {
        List<String> taken = step.consumer().taken();
        List<String> brought = step.calls().values().stream()
                .filter(call -> call.failure() == null)
                .flatMap(call -> step.rank().buckets().cargo().get(call.bucket()).gradients().stream())
                .map(stowed -> stowed.parameter().name())
                .filter(name -> step.memoryOf(name) != null)
                .sorted()
                .toList();
        // Parameters are named by their places, of one digit each.
        List<String> sorted = taken.stream().sorted().toList();
        if (!step.consumer().hasLeft() && !sorted.equals(brought)) {
            throw new Violation("results are missing: taken=" + taken + ", brought=" + brought + ", " + step);
        }
        if (step.rank().options().order() == ResultOrder.PARAMETER && !taken.equals(sorted)) {
            throw new Violation("results come out of order: taken=" + taken + ", " + step);
        }
    }
}
