package io.reactivecomm.internal.train;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Parameter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A composite call inside a step's, before the first bucket begins, in which the ranks agree on their parameters and options. It is made in every step:
 * {@link CommonPlan} says why, and which ranks make no call in it.
 *
 * <pre>
 *   all-gather of hashes ──&gt; equal ──&gt; this rank's parameters
 *                      └──&gt; else, all-gather of the registrations ─┬─&gt; one error on all ranks, which says what differs first
 *                                                                  └─&gt; only the order of arrival: rank 0's
 * </pre>
 */
final class Agreement {

    private static final String OPERATION = "agreement on gradients";

    private Agreement() {}

    /**
     * The contribution of one rank.
     *
     * @param explicit whether the program registered the parameters, so that their order counts; else they are in the order of arrival in the first step
     * @param options those that ranks must have in common, as text
     */
    record Registration(boolean explicit, String options, List<Parameter> parameters) {

        static Registration of(List<Parameter> parameters, boolean explicit, BucketOptions options) {
            BucketReducer reducer = options.reducer();
            String common = "bucketBytes=" + options.bucketBytes() + ", firstBucketBytes=" + options.firstBucketBytes()
                    + ", scaling=" + options.scaling() + ", communicationType="
                    + (options.communicationType() == null ? "the gradient's" : options.communicationType())
                    + ", missing=" + options.missing() + (reducer == null ? "" : ", reducer=" + reducer.label());
            return new Registration(explicit, common, List.copyOf(parameters));
        }

        /** {@return the texts that ranks must have in common: two, and one for each parameter} */
        private List<String> lines() {
            Stream<Parameter> ordered =
                    explicit ? parameters.stream() : parameters.stream().sorted(Comparator.comparing(Parameter::name));
            Map<Device, Device> numbered = new HashMap<>();
            return Stream.concat(
                            Stream.of(explicit ? "the program registers" : "the first step shows", options),
                            ordered.map(each -> common(each, numbered).toString()))
                    .toList();
        }

        /** Each rank may have other devices of a kind, so devices are numbered as they occur. */
        private static Parameter common(Parameter each, Map<Device, Device> numbered) {
            Device device = numbered.computeIfAbsent(
                    each.device(),
                    first -> new Device(first.kind(), (int) numbered.keySet().stream()
                            .filter(other -> other.kind().equals(first.kind()))
                            .count()));
            return new Parameter(each.name(), each.type(), each.shape(), device, each.isSparse());
        }

        /** {@return a hash of the lines and of the order, so that names travel only where they differ} */
        private byte[] hash() {
            return sha256(Stream.concat(lines().stream(), parameters.stream().map(Parameter::name))
                    .map(line -> line.length() + ":" + line)
                    .collect(joining()));
        }

        private static byte[] sha256(String text) {
            try {
                return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("this JVM lacks a hash that each must have: algorithm=SHA-256", e);
            }
        }
    }

    /**
     * {@return the parameters in the order that holds for all ranks; empty if a rank did not ask}
     *
     * @param hasAgreed whether this rank has agreed before: else all ranks ask, and a mismatch has another cause
     * @param step the group for the step's calls
     */
    static Mono<List<Parameter>> on(Registration own, boolean hasAgreed, ProcessGroup step) {
        // Inside the composite call, only ranks that compare would fail with the mismatch.
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
        return areAllEqual(own.hash(), inside)
                .flatMap(areEqual -> areEqual
                        ? Mono.just(own::parameters)
                        : inside.allGatherObject(own, Registration.class)
                                .map(all -> () -> agreed(own, all, inside.ranks())));
    }

    private static Mono<Boolean> areAllEqual(byte[] own, ProcessGroup inside) {
        Tensor hash = Tensor.of(own);
        Tensor hashes = Tensor.allocate(DType.INT8, inside.size(), own.length);
        return inside.allGather(hash, hashes)
                .map(work -> {
                    byte[] all = hashes.toByteArray();
                    return IntStream.range(0, inside.size())
                            .map(rank -> rank * own.length)
                            .allMatch(from -> Arrays.equals(all, from, from + own.length, own, 0, own.length));
                })
                .doFinally(end -> {
                    hash.close();
                    hashes.close();
                });
    }

    /** {@return this rank's parameters in the order of the group's first rank} */
    private static List<Parameter> agreed(Registration own, List<Registration> all, List<Integer> ranks) {
        String difference = difference(all, ranks);
        if (difference != null) {
            throw new MismatchException("gradient buckets differ between ranks in " + difference
                    + "; register the same parameters in the same order, with the same options, on all ranks");
        }
        Map<String, Parameter> byName = own.parameters().stream().collect(toMap(Parameter::name, Function.identity()));
        return all.getFirst().parameters().stream()
                .map(first -> byName.get(first.name()))
                .toList();
    }

    /** {@return what differs first, and who has what; null if nothing does but the order of arrival} */
    private static @Nullable String difference(List<Registration> all, List<Integer> ranks) {
        List<List<String>> lines = all.stream().map(Registration::lines).toList();
        int most = lines.stream().mapToInt(List::size).max().orElse(0);
        for (int i = 0; i < most; i++) {
            Map<String, List<Integer>> having = new LinkedHashMap<>();
            for (int rank = 0; rank < ranks.size(); rank++) {
                List<String> its = lines.get(rank);
                having.computeIfAbsent(i < its.size() ? its.get(i) : "nothing", first -> new ArrayList<>())
                        .add(ranks.get(rank));
            }
            if (having.size() > 1) {
                String what = i == 0 ? "who says what there is" : i == 1 ? "their options" : "parameter " + (i - 2);
                return having.entrySet().stream()
                        .map(each -> each.getKey() + " on " + who(each.getValue()))
                        .collect(joining(", ", what + ": ", ""));
            }
        }
        return null;
    }

    private static String who(List<Integer> ranks) {
        return ranks.size() == 1 ? "rank " + ranks.getFirst() : "ranks " + ranks;
    }
}
