package io.reactivecomm.internal.schedule;

import io.reactivecomm.internal.schedule.SymbolicRun.Running;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The depths of the sends of a call, of those that count: the n-th of a chain of them, each of which waits for the one before, has depth n. */
final class SendDepths {

    private final List<List<Running>> steps;
    private final Counted counted;
    private final Map<Running, Integer> known = new HashMap<>();

    /** The rule by which a send counts. */
    interface Counted {
        boolean counts(int rank, int peer);
    }

    /** @param steps by rank */
    SendDepths(List<List<Running>> steps, Counted counted) {
        this.steps = steps;
        this.counted = counted;
    }

    /** {@return the length of the longest chain} */
    int most() {
        return steps.stream().flatMap(List::stream).mapToInt(this::depth).max().orElse(0);
    }

    /** {@return the depths at which ranks of a host send} */
    Set<Integer> of(Layout layout, int host) {
        Set<Integer> depths = new TreeSet<>();
        for (int local = 0; local < layout.count(host); local++) {
            steps.get(layout.rank(host, local)).stream().filter(this::counts).forEach(each -> depths.add(depth(each)));
        }
        return depths;
    }

    private boolean counts(Running each) {
        return each.step instanceof Step.Send send && counted.counts(each.rank, send.peer());
    }

    private int depth(Running each) {
        Integer found = known.get(each);
        if (found != null) {
            return found;
        }
        int depth = 0;
        for (Running source : each.sources) {
            depth = Math.max(depth, depth(source));
        }
        for (Wait wait : each.step.waits()) {
            depth = Math.max(depth, depth(steps.get(each.rank).get(wait.step())));
        }
        depth += counts(each) ? 1 : 0;
        known.put(each, depth);
        return depth;
    }
}
