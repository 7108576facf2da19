package io.reactivecomm.observability.doctor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Ranks that wait for one another, each in a call that the next has not made: messages that nobody sends first, or calls in two orders. */
final class WaitCircles implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        for (RankWait first : evidence.waits()) {
            List<RankWait> circle = circle(first, evidence);
            if (!circle.isEmpty() && circle.stream().allMatch(RankWait::isMessage)) {
                return List.of(deadlock(circle));
            }
            if (!circle.isEmpty()) {
                return List.of(new Divergence(circle, evidence).finding());
            }
        }
        return List.of();
    }

    /** {@return waits of which each is for the waiter of the next, and the last for that of the first; empty if this one leads into none} */
    private static List<RankWait> circle(RankWait first, Evidence evidence) {
        List<RankWait> way = new ArrayList<>();
        Set<Integer> passed = new HashSet<>();
        RankWait next = first;
        while (next != null && passed.add(next.waiter())) {
            way.add(next);
            next = after(next, evidence);
        }
        if (next == null) {
            return List.of();
        }
        int begin = next.waiter();
        while (way.getFirst().waiter() != begin) {
            way.removeFirst();
        }
        return way;
    }

    /** {@return a wait of the rank that one is for, if that rank has not made its call} */
    private static @Nullable RankWait after(RankWait wait, Evidence evidence) {
        if (!evidence.isOpen(wait)) {
            return null;
        }
        return evidence.waits().stream()
                .filter(each -> each.waiter() == wait.missing() && each.isLive() == wait.isLive())
                .min((one, other) -> Boolean.compare(one.missing() != wait.waiter(), other.missing() != wait.waiter()))
                .orElse(null);
    }

    private static Finding deadlock(List<RankWait> circle) {
        String waits = circle.stream()
                .map(wait -> "rank " + wait.waiter() + " waits in " + Words.call(wait.call()) + " for rank "
                        + wait.missing())
                .collect(Collectors.joining(", "));
        List<Integer> ranks =
                circle.stream().map(RankWait::waiter).distinct().sorted().toList();
        return new Finding(
                Disease.DEADLOCK,
                ranks,
                circle.getFirst().call().label(),
                Words.capitalRanks(ranks) + " are in a deadlock of messages, for "
                        + Words.seconds(circle.getFirst().micros()) + ": " + waits
                        + ", and none of these messages has been sent");
    }
}
