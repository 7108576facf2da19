package io.reactivecomm.bucket;

import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * Lets the ranks agree on their parameters and options, inside a step's composite call, before the first bucket begins.
 *
 * <pre>
 *   all-gather of hashes ──&gt; all equal ───────────────────────────────&gt; this rank's parameters
 *                      ├──&gt; equal but for the order of arrival ──&gt; rank 0's, by an all-reduce to which the others add zeros
 *                      └──&gt; else, all-gather of the parameters ──&gt; one error on all ranks
 * </pre>
 *
 * <p>All ranks see the same hashes, so they go the same way.
 *
 * <p><b>All or none.</b> A rank that knows of an agreement makes other calls in the next step than one that does not. So the last call before it is one
 * that no rank finishes before all have begun it, and what all have begun runs to its end even if the step fails. A broadcast would not do: its root
 * may be done while another rank never begins.
 */
final class Agreement {

    /** A way in which registrations may differ. */
    private record Aspect(String name, Function<Registration, String> text) {}

    private static final Aspect SOURCE =
            new Aspect("who says what there is", each -> each.explicit() ? "the program registers" : "the first step shows");

    private static final Aspect OPTIONS = new Aspect("their options", Registration::options);

    private Agreement() {}

    /**
     * {@return the parameters in the order that holds for all ranks}
     *
     * @param inside what the step makes its calls through
     */
    static Mono<List<Parameter>> on(Registration own, ProcessGroup inside) {
        return digests(own, inside.algorithm("")).flatMap(digests -> {
            if (Registration.areEqual(digests)) {
                return Mono.just(own.parameters());
            }
            if (!own.explicit() && Registration.areEqualButForOrder(digests)) {
                return inOrderOfFirst(own, inside.algorithm(""));
            }
            return inside.allGatherObject(own, Registration.class)
                    .flatMap(all -> Mono.error(difference(all, inside.ranks())));
        });
    }

    private static Mono<byte[]> digests(Registration own, ProcessGroup inside) {
        Tensor digest = Tensor.of(own.digest());
        Tensor digests = Tensor.allocate(DType.INT8, (long) inside.size() * Registration.DIGEST_BYTES);
        return inside.allGather(digest, digests).map(work -> digests.toByteArray()).doFinally(end -> {
            digest.close();
            digests.close();
        });
    }

    /** {@return the parameters in the order in which they came on the group's first rank} */
    private static Mono<List<Parameter>> inOrderOfFirst(Registration own, ProcessGroup inside) {
        List<Parameter> sorted = own.comparable();
        Tensor places = Tensor.of(own.parameters().stream()
                .mapToInt(each -> inside.rank() == 0 ? Collections.binarySearch(sorted, each, Registration.BY_NAME) : 0)
                .toArray());
        return inside.allReduce(places, ReduceOp.SUM)
                .map(work -> Arrays.stream(places.toIntArray()).mapToObj(sorted::get).toList())
                .doFinally(end -> places.close());
    }

    /** {@return the error that says what differs first, and who has what} */
    static MismatchException difference(List<Registration> all, List<Integer> ranks) {
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
