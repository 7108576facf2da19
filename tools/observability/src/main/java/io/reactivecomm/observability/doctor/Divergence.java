package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The place at which ranks went different ways: they wait for one another in different calls.
 *
 * <p>Who has left the way is told by habit first. A rank that has made the others' call at this place before, and then its own, and now makes its own at
 * once, has skipped it. Without a habit the fewer are wrong; where as many stand against as many nobody can say who.
 */
final class Divergence {

    private final Evidence evidence;
    /** By the call in which they wait. */
    private final Map<CallId, List<RankWait>> camps = new LinkedHashMap<>();

    Divergence(List<RankWait> circle, Evidence evidence) {
        this.evidence = evidence;
        for (RankWait wait : circle) {
            camps.computeIfAbsent(wait.id(), ignored -> new ArrayList<>());
        }
        for (RankWait wait : evidence.waits()) {
            List<RankWait> camp = camps.get(wait.id());
            if (camp != null && camp.stream().noneMatch(each -> each.waiter() == wait.waiter())) {
                camp.add(wait);
            }
        }
    }

    Finding finding() {
        Disease disease = Disease.TWO_ORDERS;
        List<RankWait> culprits = fewest();
        String why =
                "; none has made what the other waits in: they make these calls in two orders, or skip them in turn";
        for (List<RankWait> camp : camps.values()) {
            CallRecord skipped = skippedBy(camp);
            if (skipped != null) {
                disease = Disease.SKIPPED_CALL;
                culprits = camp;
                why = "; before, " + Words.ranks(ranks(camp)) + " made " + nameOf(skipped)
                        + " there too, and now skipped " + skipped.label();
            }
        }
        return finding(disease, culprits, why);
    }

    private Finding finding(Disease disease, List<RankWait> culprits, String why) {
        RankWait other = camps.values().stream()
                .filter(camp -> camp != culprits)
                .map(List::getFirst)
                .findFirst()
                .orElse(culprits.getFirst());
        String ways = camps.values().stream()
                .map(camp -> Words.ranks(ranks(camp)) + " " + Words.verb(ranks(camp), "waits", "wait") + " in "
                        + Words.call(camp.getFirst().call()))
                .collect(Collectors.joining(" and "));
        return new Finding(
                disease,
                ranks(culprits),
                other.call().label(),
                "Ranks diverged" + place(culprits.getFirst()) + ", and wait for one another, for "
                        + Words.seconds(other.micros()) + ": " + ways + why);
    }

    private String place(RankWait wait) {
        MadeCall before = before(wait);
        return before == null
                ? " at their first calls"
                : " after " + before.call().label();
    }

    private @Nullable MadeCall before(RankWait wait) {
        RankHistory rank = evidence.rank(wait.waiter());
        return rank == null ? null : rank.before(wait.call());
    }

    /** {@return the others' call, if those of a camp have made one like it at this place before; null if not} */
    private @Nullable CallRecord skippedBy(List<RankWait> camp) {
        RankWait first = camp.getFirst();
        MadeCall before = before(first);
        MadeCall usual = before == null
                ? null
                : Objects.requireNonNull(evidence.rank(first.waiter())).usuallyAfter(before);
        if (usual == null || usual.isLike(first.call())) {
            return null;
        }
        return camps.values().stream()
                .filter(other -> other != camp && usual.isLike(other.getFirst().call()))
                .map(other -> other.getFirst().call())
                .findFirst()
                .orElse(null);
    }

    /** {@return the smallest camp; all, if as many stand against as many} */
    private List<RankWait> fewest() {
        List<List<RankWait>> bySize = camps.values().stream()
                .sorted((one, other) -> one.size() - other.size())
                .toList();
        boolean isClear =
                bySize.size() > 1 && bySize.get(0).size() < bySize.get(1).size();
        return isClear
                ? bySize.getFirst()
                : bySize.stream().flatMap(List::stream).toList();
    }

    private static List<Integer> ranks(List<RankWait> camp) {
        return camp.stream().map(RankWait::waiter).distinct().sorted().toList();
    }

    private static String nameOf(CallRecord call) {
        return call.name().isEmpty() ? "a call like " + call.label() : call.name();
    }
}
