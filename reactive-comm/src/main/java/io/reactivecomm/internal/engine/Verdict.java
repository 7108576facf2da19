package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The error of ranks that differ under one identity: it lists who called what. */
final class Verdict {

    private static final String NOT_ISSUED = "has not issued it";
    private static final String NO_ANSWER = "did not answer";
    private static final String REMEDY =
            "; let all ranks make the same calls in the same order, with the same algorithms and bits, or name the calls";

    private Verdict() {}

    /** {@return a member's answer in the words of the error} @param called what it has issued; empty for nothing */
    static String answer(String called) {
        return called.isEmpty() ? NOT_ISSUED : "called " + called;
    }

    /**
     * {@return the error}
     *
     * @param members the group's world ranks
     * @param answers those of the members that have answered, by world rank
     */
    static Failure of(CallKey key, List<Integer> members, Map<Integer, String> answers) {
        List<String> who = members.stream()
                .map(rank -> "rank " + rank + " " + answers.getOrDefault(rank, NO_ANSWER))
                .toList();
        return new Failure(
                Failure.Kind.MISMATCH,
                culprit(members, new TreeMap<>(answers)),
                identity(key) + String.join(", ", who) + REMEDY);
    }

    /** {@return the first rank that called something else than the first rank that called anything} */
    private static int culprit(List<Integer> members, TreeMap<Integer, String> answers) {
        String first = answers.firstEntry().getValue();
        return answers.entrySet().stream()
                .filter(each -> !each.getValue().equals(first))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(members.getFirst());
    }

    /**
     * {@return the failure for the rank whose call fails with it: an error of this kind names that rank's own call, even if it came after the verdict}
     *
     * @param key of the call; null for a receive that no message has matched
     */
    static Failure withOwn(Failure failure, int rank, @Nullable CallKey key, Supplier<String> called) {
        return failure.withText(ownText(failure, rank, key, called));
    }

    private static String ownText(Failure failure, int rank, @Nullable CallKey key, Supplier<String> called) {
        boolean isOfCall = key != null
                && failure.kind() == Failure.Kind.MISMATCH
                && failure.text().contains(identity(key));
        if (!isOfCall) {
            return failure.text();
        }
        String own = ", rank " + rank + " ";
        String answer = own + "called " + called.get();
        return failure.text().replace(own + NO_ANSWER, answer).replace(own + NOT_ISSUED, answer);
    }

    private static String identity(CallKey key) {
        return "ranks issued different calls under one identity: call=" + key.label() + ", ";
    }
}
