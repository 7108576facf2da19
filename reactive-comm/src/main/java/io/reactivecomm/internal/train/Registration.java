package io.reactivecomm.internal.train;

import io.reactivecomm.Device;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Parameter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The contribution of one rank to the agreement on buckets.
 *
 * @param explicit whether the program registered them, so that their order counts; else they are those of the first step, as they came
 * @param options those that ranks must have in common, as text
 */
record Registration(boolean explicit, String options, List<Parameter> parameters) {

    static final Comparator<Parameter> BY_NAME = Comparator.comparing(Parameter::name);

    /** The length of one of the two hashes that a digest is made of. */
    private static final int HASH_BYTES = 32;

    /** The length of a {@link #digest}. */
    static final int DIGEST_BYTES = 2 * HASH_BYTES;

    static Registration of(List<Parameter> parameters, boolean explicit, BucketOptions options) {
        return new Registration(explicit, agreed(options), List.copyOf(parameters));
    }

    private static String agreed(BucketOptions options) {
        BucketReducer reducer = options.reducer();
        return "bucketBytes=" + options.bucketBytes() + ", firstBucketBytes=" + options.firstBucketBytes()
                + ", scaling=" + options.scaling() + ", communicationType="
                + (options.communicationType() == null ? "the gradient's" : options.communicationType())
                + ", missing=" + options.missing() + (reducer == null ? "" : ", reducer=" + reducer.label());
    }

    /** {@return the parameters in an order that does not depend on when they came} */
    List<Parameter> comparable() {
        return explicit ? parameters : parameters.stream().sorted(BY_NAME).toList();
    }

    /**
     * {@return what ranks must have in common of a list: devices are numbered as they occur in it, for each rank may have others of a kind}
     */
    static List<Parameter> inCommon(List<Parameter> list) {
        Map<Device, Device> numbered = new HashMap<>();
        Map<String, Integer> ofKind = new HashMap<>();
        return list.stream()
                .map(each -> on(
                        each,
                        numbered.computeIfAbsent(
                                each.device(),
                                first -> new Device(first.kind(), ofKind.merge(first.kind(), 1, Integer::sum) - 1))))
                .toList();
    }

    private static Parameter on(Parameter parameter, Device device) {
        return new Parameter(parameter.name(), parameter.type(), parameter.shape(), device, parameter.isSparse());
    }

    /** {@return what ranks compare first, so that names travel only where they differ: a hash of what must be equal, and one of the order} */
    byte[] digest() {
        return ByteBuffer.allocate(DIGEST_BYTES)
                .put(hash(comparable()))
                .put(hash(parameters))
                .array();
    }

    /** {@return whether of several digests, one behind the other, all are equal} */
    static boolean areEqual(byte[] digests) {
        return areEqual(digests, DIGEST_BYTES);
    }

    /** {@return whether at most the order differs between several digests, one behind the other} */
    static boolean areEqualButForOrder(byte[] digests) {
        return areEqual(digests, HASH_BYTES);
    }

    private static boolean areEqual(byte[] digests, int length) {
        return IntStream.range(0, digests.length / DIGEST_BYTES)
                .allMatch(i -> Arrays.equals(digests, i * DIGEST_BYTES, i * DIGEST_BYTES + length, digests, 0, length));
    }

    private byte[] hash(List<Parameter> list) {
        MessageDigest hash = sha256();
        update(hash, options, explicit ? 1 : 0);
        for (Parameter parameter : inCommon(list)) {
            update(hash, parameter.name(), parameter.type().wireCode());
            update(hash, parameter.device().kind(), parameter.device().index());
            update(hash, "sparse", parameter.isSparse() ? 1 : 0);
            update(hash, parameter.shape());
        }
        return hash.digest();
    }

    private static void update(MessageDigest hash, String text, int number) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        hash.update(
                ByteBuffer.allocate(2 * Integer.BYTES).putInt(0, bytes.length).putInt(Integer.BYTES, number));
        hash.update(bytes);
    }

    private static void update(MessageDigest hash, List<Long> numbers) {
        ByteBuffer bytes =
                ByteBuffer.allocate((1 + numbers.size()) * Long.BYTES).putLong(numbers.size());
        numbers.forEach(bytes::putLong);
        hash.update(bytes.flip());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new InvalidCallException(
                    "this JVM cannot hash: algorithm=SHA-256; use one that follows the specification", e);
        }
    }
}
