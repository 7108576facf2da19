package io.reactivecomm.internal.train;

import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * A composite call inside a step's, before the first bucket begins, in which the ranks agree on their parameters and options.
 *
 * <pre>
 *   all-gather of hashes ──&gt; all equal ───────────────────────────────&gt; this rank's parameters
 *                      ├──&gt; equal but for the order of arrival ──&gt; rank 0's, by an all-reduce to which the others add zeros
 *                      └──&gt; else, all-gather of the parameters ──&gt; one error on all ranks
 * </pre>
 *
 * <p>All ranks see the same hashes, so they go the same way. None finishes the all-gather before all have begun it.
 *
 * <p><b>Ranks that need not ask</b> make the composite call too, with nothing in it, which costs no message. If another rank asks, its all-gather is
 * one call more than was made there, and that composite call fails on all who ask, in a round trip. Only that one: so they know that a rank did not ask,
 * and that all have agreed before ({@link CommonPlan}).
 */
final class Agreement {

    /** A way in which registrations may differ. */
    private record Aspect(String name, Function<Registration, String> text) {}

    private static final Aspect SOURCE = new Aspect(
            "who says what there is", each -> each.explicit() ? "the program registers" : "the first step shows");

    private static final Aspect OPTIONS = new Aspect("their options", Registration::options);

    private static final String OPERATION = "agreement on gradients";

    private Agreement() {}

    /**
     * {@return the parameters in the order that holds for all ranks; empty if a rank did not ask}
     *
     * @param hasAgreed whether this rank has agreed before: else all ranks ask, and a mismatch has another cause
     * @param step what the step makes its calls through
     */
    static Mono<List<Parameter>> on(Registration own, boolean hasAgreed, ProcessGroup step) {
        // Inside the composite call, only ranks that compare would fail with it.
        return step.composite(OPERATION)
                .waitingOnly()
                .mono(inside -> answer(own, inside.algorithm("")))
                .onErrorResume(error -> hasAgreed && error instanceof MismatchException, refusal -> Mono.empty())
                .map(Supplier::get);
    }

    /** {@return what takes the place of the agreement on a rank that need not ask; whether another did is of no interest here} */
    static Mono<Void> notAskedFor(ProcessGroup step) {
        return step.composite(OPERATION)
                .waitingOnly()
                .<Void>mono(inside -> Mono.empty())
                .onErrorComplete();
    }

    /** {@return what gives the parameters, or throws what differs} */
    private static Mono<Supplier<List<Parameter>>> answer(Registration own, ProcessGroup inside) {
        return digests(own, inside).flatMap(digests -> {
            if (Registration.areEqual(digests)) {
                return Mono.just(own::parameters);
            }
            if (!own.explicit() && Registration.areEqualButForOrder(digests)) {
                return inOrderOfFirst(own, inside).map(parameters -> () -> parameters);
            }
            return inside.allGatherObject(own, Registration.class).map(all -> () -> {
                throw difference(all, inside.ranks());
            });
        });
    }

    private static Mono<byte[]> digests(Registration own, ProcessGroup inside) {
        Tensor digest = Tensor.of(own.digest());
        Tensor digests = Tensor.allocate(DType.INT8, (long) inside.size() * Registration.DIGEST_BYTES);
        return inside.allGather(digest, digests)
                .map(work -> digests.toByteArray())
                .doFinally(end -> {
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
                .map(work ->
                        Arrays.stream(places.toIntArray()).mapToObj(sorted::get).toList())
                .doFinally(end -> places.close());
    }

    /** {@return the error that says what differs first, and who has what} */
    static MismatchException difference(List<Registration> all, List<Integer> ranks) {
        int most = all.stream().mapToInt(each -> each.parameters().size()).max().orElse(0);
        return Stream.concat(
                        Stream.of(SOURCE, OPTIONS), IntStream.range(0, most).mapToObj(Agreement::parameter))
                .filter(aspect -> all.stream().map(aspect.text).distinct().count() > 1)
                .findFirst()
                .map(aspect -> mismatch(" in " + aspect.name + ": "
                        + who(all.stream().map(aspect.text).toList(), ranks)))
                .orElseGet(() -> mismatch(" in what their versions of the library make of them"));
    }

    private static MismatchException mismatch(String difference) {
        return new MismatchException("gradient buckets differ between ranks" + difference
                + "; register the same parameters in the same order, with the same options, on all ranks");
    }

    private static Aspect parameter(int index) {
        return new Aspect("parameter " + index, each -> {
            List<Parameter> parameters = Registration.inCommon(each.comparable());
            return index < parameters.size() ? parameters.get(index).toString() : "nothing";
        });
    }

    private static String who(List<String> texts, List<Integer> ranks) {
        Map<String, List<Integer>> byText = new LinkedHashMap<>();
        for (int i = 0; i < texts.size(); i++) {
            byText.computeIfAbsent(texts.get(i), ignored -> new ArrayList<>()).add(ranks.get(i));
        }
        List<String> parts = new ArrayList<>();
        byText.forEach((text, having) ->
                parts.add(text + (having.size() == 1 ? " on rank " + having.getFirst() : " on ranks " + having)));
        return String.join(", ", parts);
    }
}
