package io.reactivecomm.internal.train;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
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
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The knowledge of one rank about the plan: which it is, and whether all ranks have it. It decides how the rank's next step begins.
 *
 * <pre>
 *   nothing ── all agreed ──&gt; a plan ── a bucket of it was reduced ──&gt; the plan of all ranks, until the end
 *      └──── begins by asking ────┘                                       └── begins with bucket 0, and says that it does not ask
 * </pre>
 *
 * <p><b>The agreement</b> is a composite call inside the step's, before the first bucket begins, in which ranks compare their parameters and options:
 *
 * <pre>
 *   all-gather of hashes ──&gt; equal ──&gt; this rank's parameters
 *                      └──&gt; else, all-gather of the registrations ─┬─&gt; one error on all ranks, which says what differs first
 *                                                                  └─&gt; only the order of arrival: rank 0's
 * </pre>
 *
 * <p>A rank that need not ask makes the composite call without a call in it. If another rank asks, its all-gather is one call more, and that composite call fails on all
 * who ask, in a round trip. So they know that all have agreed before, and continue with their own plan. Decision 18 proves that it is the same.
 *
 * <p><b>Threads.</b> One step at a time changes it; any thread reads it.
 */
final class CommonPlan {

    private static final String OPERATION = "agreement on gradients";

    private final BucketOptions options;
    private final int size;
    private final @Nullable BucketPlan registered;
    private volatile @Nullable BucketPlan latest;
    private volatile boolean isCommon;

    /** The knowledge before the first step. @param registered the parameters; null if that step shows them */
    CommonPlan(@Nullable List<Parameter> registered, BucketOptions options, int size) {
        this.options = options;
        this.size = size;
        this.registered = registered == null ? null : new BucketPlan(registered, options, size);
    }

    @Nullable BucketPlan registered() {
        return registered;
    }

    /** {@return the plan of all ranks, which will be no other; null while this rank has to ask} */
    @Nullable BucketPlan known() {
        return isCommon ? latest : null;
    }

    /**
     * {@return the plan of all ranks, which this one asks for}
     *
     * @param shown the parameters that a first step has shown, in the order of arrival; null if they are registered
     * @param step the group for the step's calls
     */
    Mono<BucketPlan> asked(@Nullable List<Parameter> shown, ProcessGroup step) {
        BucketPlan own = shown == null || isLatest(shown) ? plan() : null;
        List<Parameter> parameters = own == null ? Objects.requireNonNull(shown) : own.parameters();
        Registration registration = Registration.of(parameters, shown == null, options);
        boolean hasAgreed = latest != null;
        // Inside the composite call, only ranks that compare would fail with the mismatch.
        return step.composite(OPERATION)
                .waitingOnly()
                .mono(inside -> answer(registration, inside.algorithm("")))
                // If this rank has not agreed before, all ranks ask, and a mismatch has another cause.
                .onErrorResume(error -> hasAgreed && error instanceof MismatchException, refusal -> Mono.empty())
                .map(Supplier::get)
                .doOnNext(agreed -> latest =
                        own != null && own.parameters().equals(agreed) ? own : new BucketPlan(agreed, options, size))
                // Without parameters there was a rank that did not ask: there has been an agreement before.
                .then(Mono.fromSupplier(this::plan));
    }

    /** {@return whether there was an agreement on these parameters, in any order} */
    private boolean isLatest(List<Parameter> shown) {
        BucketPlan before = latest;
        return before != null && Set.copyOf(before.parameters()).equals(Set.copyOf(shown));
    }

    /** {@return the plan that this rank has: the registered one, or the one that was agreed on} */
    BucketPlan plan() {
        BucketPlan own = registered == null ? latest : registered;
        return Objects.requireNonNull(own, "another rank knows the plan of all ranks, and this one has none");
    }

    /** A bucket has been reduced: all ranks have begun it, so they have its plan. */
    void reduced() {
        isCommon = true;
    }

    /**
     * The contribution of one rank.
     *
     * @param explicit whether the program registered the parameters, so that their order counts; else they are in the order of arrival in the first step
     * @param options those that ranks must have in common, as text
     */
    private record Registration(boolean explicit, String options, List<Parameter> parameters) {

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

    /** {@return what takes the place of the agreement on a rank that need not ask; whether another did is of no interest here} */
    Mono<Void> notAsked(ProcessGroup step) {
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
