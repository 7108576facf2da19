package io.reactivecomm.simulator;

import io.reactivecomm.simulator.GradientScenario.DrawnHook;
import io.reactivecomm.simulator.GradientScenario.HookKind;
import io.reactivecomm.simulator.GradientScenario.Item;
import io.reactivecomm.simulator.GradientScenario.Saying;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The results of one step on all ranks, computed hook after hook and name after name. */
final class GradientOracle {

    private final GradientScenario scenario;
    private final int step;
    /** By rank and name. */
    private final List<Map<String, Long>> values = new ArrayList<>();

    private final Set<String> mismatched = new TreeSet<>();
    private boolean isCrossing;

    GradientOracle(GradientScenario scenario, int step) {
        this.scenario = scenario;
        this.step = step;
        for (int rank = 0; rank < scenario.ranks(); rank++) {
            Map<String, Long> own = new TreeMap<>();
            for (Item item : scenario.steps().get(step).get(rank).items()) {
                if (item.saying() == Saying.PRODUCED) {
                    own.put(item.name(), scenario.produced(step, rank, item.name()));
                }
            }
            values.add(own);
        }
        for (int hook = 0; hook < scenario.hooks().size(); hook++) {
            pass(hook);
        }
    }

    private void pass(int hook) {
        DrawnHook drawn = scenario.hooks().get(hook);
        for (int rank = 0; rank < scenario.ranks() && drawn.kind().hasGroup(); rank++) {
            List<Integer> members = scenario.members(drawn, rank);
            if (members.getFirst() == rank) {
                Set<Integer> waiting = new TreeSet<>();
                drawn.names().forEach(name -> reduce(hook, name, members, waiting));
                isCrossing |= drawn.kind() == HookKind.EACH_UNANNOUNCED && waiting.size() == members.size();
            }
        }
    }

    /** @param waiting gains the ranks that make a call which others do not make */
    private void reduce(int hook, String name, List<Integer> members, Set<Integer> waiting) {
        long present = members.stream()
                .filter(rank -> values.get(rank).containsKey(name))
                .count();
        if (present == 0) {
            return;
        }
        if (scenario.hooks().get(hook).kind() != HookKind.BUCKETS && present < members.size()) {
            mismatched.add(name);
            members.stream()
                    .filter(rank -> values.get(rank).remove(name) != null)
                    .forEach(waiting::add);
            return;
        }
        long sum = members.stream()
                .mapToLong(rank -> values.get(rank)
                        .getOrDefault(name, isKept(hook, rank, name) ? scenario.home(hook, rank, name) : 0L))
                .sum();
        members.forEach(rank -> values.get(rank).put(name, sum));
    }

    private boolean isKept(int hook, int rank, String name) {
        return scenario.isNoticed(hook, name)
                && said(rank, name).filter(Saying.KEPT::equals).isPresent();
    }

    private Optional<Saying> said(int rank, String name) {
        return scenario.steps().get(step).get(rank).items().stream()
                .filter(item -> item.name().equals(name))
                .map(Item::saying)
                .findFirst();
    }

    /** {@return the results of a rank, if its step succeeds; of a step that fails no other ones come} */
    Map<String, Long> results(int rank) {
        return values.get(rank);
    }

    /** {@return the notices that come to the hooks of a rank, if its step succeeds} */
    Set<String> notices(int rank) {
        Set<String> all = new TreeSet<>();
        for (Item item : scenario.steps().get(step).get(rank).items()) {
            for (int hook = 0; hook < scenario.hooks().size(); hook++) {
                if (item.saying() != Saying.PRODUCED && scenario.isNoticed(hook, item.name())) {
                    all.add(notice(hook, item.name(), item.saying()));
                }
            }
        }
        return all;
    }

    static String notice(int hook, String name, Saying saying) {
        return saying + " " + name + " for hook " + hook;
    }

    /** {@return whether all ranks of a group wait for each other in a hook that does not announce its last call, until their deadline} */
    boolean isCrossing() {
        return isCrossing;
    }

    /** {@return whether ranks make calls that others do not make, although all goes well} */
    boolean isMismatch() {
        return !mismatched.isEmpty();
    }
}
