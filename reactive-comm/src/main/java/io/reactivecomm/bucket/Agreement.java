package io.reactivecomm.bucket;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * Lets the ranks agree on their parameters and options, before the first bucket begins.
 *
 * <pre>
 *   all-gather of hashes ──&gt; all equal ───────────────────────────────&gt; this rank's parameters
 *                      ├──&gt; equal but for the order of arrival ──&gt; rank 0's, by a broadcast
 *                      └──&gt; else, all-gather of the parameters ──&gt; one error on all ranks
 * </pre>
 *
 * <p>All ranks see the same hashes, so they go the same way.
 */
final class Agreement {

    /** A way in which registrations may differ. */
    private record Aspect(String name, Function<Registration, String> text) {}

    private static final Aspect SOURCE =
            new Aspect("who says what there is", each -> each.explicit() ? "the program registers" : "the first step shows");

    private static final Aspect OPTIONS = new Aspect("their options", Registration::options);

    private Agreement() {}

    /** {@return the parameters in the order that holds for all ranks} */
    static Mono<List<Parameter>> on(Registration own, ProcessGroup group) {
        return group.allGatherObject(own.digest(), Registration.Digest.class).flatMap(digests -> {
            if (digests.stream().distinct().count() == 1 && !digests.getFirst().failed()) {
                return Mono.just(own.parameters());
            }
            if (!own.explicit() && areEqualButForOrder(digests)) {
                return group.broadcastObject(group.rank() == 0 ? own : null, 0, Registration.class).map(Registration::parameters);
            }
            return group.allGatherObject(own, Registration.class)
                    .flatMap(all -> Mono.error(difference(all, group.ranks())));
        });
    }

    private static boolean areEqualButForOrder(List<Registration.Digest> digests) {
        return digests.stream().noneMatch(Registration.Digest::failed)
                && digests.stream().map(Registration.Digest::content).distinct().count() == 1;
    }

    /** {@return the error that says what differs first, and who has what} */
    static CommException difference(List<Registration> all, List<Integer> ranks) {
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).failure().isEmpty()) {
                return new InvalidCallException("ranks cannot agree on gradient buckets, because the first step ended early on rank "
                        + ranks.get(i) + ": rank=" + ranks.get(i) + ", cause=" + all.get(i).failure() + "; begin it again on all ranks");
            }
        }
        int most = all.stream().mapToInt(each -> each.parameters().size()).max().orElse(0);
        return Stream.concat(Stream.of(SOURCE, OPTIONS), IntStream.range(0, most).mapToObj(Agreement::parameter))
                .filter(aspect -> all.stream().map(aspect.text).distinct().count() > 1)
                .findFirst()
                .map(aspect -> mismatch(" in " + aspect.name + ": " + who(all.stream().map(aspect.text).toList(), ranks)))
                .orElseGet(() -> mismatch(" in what their versions of the library make of them"));
    }

    private static MismatchException mismatch(String difference) {
        return new MismatchException("gradient buckets differ between ranks" + difference
                + "; register the same parameters in the same order, with the same options, on all ranks");
    }

    private static Aspect parameter(int index) {
        return new Aspect("parameter " + index, each -> {
            List<Parameter> parameters = each.comparable();
            return index < parameters.size() ? parameters.get(index).toString() : "nothing";
        });
    }

    private static String who(List<String> texts, List<Integer> ranks) {
        Map<String, List<Integer>> byText = new LinkedHashMap<>();
        for (int i = 0; i < texts.size(); i++) {
            byText.computeIfAbsent(texts.get(i), ignored -> new ArrayList<>()).add(ranks.get(i));
        }
        List<String> parts = new ArrayList<>();
        byText.forEach((text, having) -> parts.add(text + (having.size() == 1 ? " on rank " + having.getFirst() : " on ranks " + having)));
        return String.join(", ", parts);
    }
}
