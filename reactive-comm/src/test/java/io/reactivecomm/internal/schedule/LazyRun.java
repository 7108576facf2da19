package io.reactivecomm.internal.schedule;

import io.reactivecomm.internal.schedule.SymbolicMemory.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * A run of single elements of a call of any number of ranks, asked backwards: from an element of a rank's output to the step that writes
 * it, to the transfers that feed that step, to the ranks that send them.
 *
 * <p>A rank's schedule is built when it is asked for, and only a few are kept, so that it takes the memory of one rank however many there
 * are. What a step reads from scratch or output must be written by a step that it waits for; a step that is asked for while it is being
 * answered waits in a circle.
 */
final class LazyRun {

    private static final int SCHEDULES_KEPT = 64;

    private final IntFunction<Schedule> schedules;
    private final Map<Integer, List<Step>> built = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, List<Step>> eldest) {
            return size() > SCHEDULES_KEPT;
        }
    };
    private final Map<Asked, Answer> answers = new HashMap<>();
    private final Set<Asked> asking = new HashSet<>();

    LazyRun(IntFunction<Schedule> schedules) {
        this.schedules = schedules;
    }

    /** An element of a step of a rank. */
    private record Asked(int rank, int step, long element) {}

    /** @param depth transfers on the longest chain that leads there */
    record Answer(Value value, int depth) {}

    private List<Step> steps(int rank) {
        return built.computeIfAbsent(rank, each -> schedules.apply(each).steps());
    }

    /** {@return what an element of a rank's output comes to} */
    Answer output(int rank, long index) {
        List<Step> steps = steps(rank);
        for (int i = 0; i < steps.size(); i++) {
            Span target = target(steps.get(i));
            if (target.buffer() == Buffer.OUTPUT && contains(target, index)) {
                return answer(rank, i, index - target.from());
            }
        }
        return new Answer(new Value(index, List.of(rank), false), 0);
    }

    private Answer answer(int rank, int step, long element) {
        Asked asked = new Asked(rank, step, element);
        Answer known = answers.get(asked);
        if (known != null) {
            return known;
        }
        require(asking.add(asked), "a step waits for itself: " + asked);
        Step each = steps(rank).get(step);
        Answer answer = switch (each) {
            case Step.Send send -> {
                Answer source = read(rank, send, send.source(), element);
                yield new Answer(source.value, source.depth + 1);
            }
            case Step.Copy copy -> read(rank, copy, copy.source(), element);
            case Step.Receive receive -> received(rank, step, 0, receive.peer(), element);
            case Step.Fold fold -> folded(rank, step, fold, element);
        };
        asking.remove(asked);
        answers.put(asked, answer);
        return answer;
    }

    private Answer folded(int rank, int step, Step.Fold fold, long element) {
        List<Value> operands = new ArrayList<>();
        int depth = 0;
        for (int i = 0; i < fold.sources().size(); i++) {
            Answer operand = switch (fold.sources().get(i)) {
                case Step.Source.Local local -> read(rank, fold, local.span(), element);
                case Step.Source.Remote remote -> received(rank, step, i, remote.peer(), element);
            };
            operands.add(operand.value);
            depth = Math.max(depth, operand.depth);
        }
        return new Answer(Value.folded(operands, fold.finish()), depth);
    }

    private Answer received(int rank, int step, int source, int peer, long element) {
        return answer(peer, sendTo(rank, peer, number(rank, step, source, peer)), element);
    }

    /** {@return how many transfers from that peer a rank's schedule has before the one that feeds that source of that step} */
    private int number(int rank, int step, int source, int peer) {
        int number = 0;
        List<Step> steps = steps(rank);
        for (int i = 0; i <= step; i++) {
            if (steps.get(i) instanceof Step.Receive receive && i < step) {
                number += receive.peer() == peer ? 1 : 0;
            } else if (steps.get(i) instanceof Step.Fold fold) {
                int until = i == step ? source : fold.sources().size();
                for (int j = 0; j < until; j++) {
                    number +=
                            fold.sources().get(j) instanceof Step.Source.Remote remote && remote.peer() == peer ? 1 : 0;
                }
            }
        }
        return number;
    }

    private int sendTo(int receiver, int sender, int number) {
        int left = number;
        List<Step> steps = steps(sender);
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i) instanceof Step.Send send && send.peer() == receiver && left-- == 0) {
                return i;
            }
        }
        throw new AssertionError("a receiver without a send: receiver=" + receiver + ", sender=" + sender);
    }

    private Answer read(int rank, Step reader, Span span, long element) {
        long index = span.from() + element;
        for (Wait wait : reader.waits()) {
            Span target = target(steps(rank).get(wait.step()));
            if (target.buffer() == span.buffer() && contains(target, index)) {
                return answer(rank, wait.step(), index - target.from());
            }
        }
        require(span.buffer() == Buffer.INPUT, "what is read is not waited for: rank=" + rank + ", " + reader);
        return new Answer(new Value(index, List.of(rank), false), 0);
    }

    private static boolean contains(Span span, long index) {
        return index >= span.from() && index < span.from() + span.count();
    }

    /** {@return what a step writes; nothing for a send} */
    private static Span target(Step step) {
        return switch (step) {
            case Step.Send send -> new Span(Buffer.INPUT, send.source().from(), 0);
            case Step.Receive receive -> receive.target();
            case Step.Fold fold -> fold.target();
            case Step.Copy copy -> copy.target();
        };
    }

    private static void require(boolean fact, String otherwise) {
        if (!fact) {
            throw new AssertionError(otherwise);
        }
    }
}
