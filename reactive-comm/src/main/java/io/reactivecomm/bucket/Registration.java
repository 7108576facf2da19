package io.reactivecomm.bucket;

import io.reactivecomm.InvalidCallException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * The contribution of one rank to the agreement on buckets.
 *
 * @param failure why this rank has no parameters; empty if it has them
 * @param explicit whether the program registered them, so that their order counts; else they are those of the first step, as they came
 * @param options {@link BucketOptions#agreed}
 */
record Registration(String failure, boolean explicit, String options, List<Parameter> parameters) {

    /**
     * The summary that ranks compare first, so that names travel only where they differ.
     *
     * @param failed whether this rank has no parameters
     * @param content a hash of what must be equal
     * @param order a hash of the order in which the parameters stand
     */
    record Digest(boolean failed, String content, String order) {}

    static Registration of(List<Parameter> parameters, boolean explicit, BucketOptions options) {
        return new Registration("", explicit, options.agreed(), List.copyOf(parameters));
    }

    static Registration failed(String why, BucketOptions options) {
        return new Registration(why, false, options.agreed(), List.of());
    }

    /** {@return the parameters in an order that does not depend on when they came} */
    List<Parameter> comparable() {
        return explicit ? parameters : parameters.stream().sorted(Comparator.comparing(Parameter::name)).toList();
    }

    Digest digest() {
        return new Digest(!failure.isEmpty(), hash(comparable()), hash(parameters));
    }

    private String hash(List<Parameter> list) {
        MessageDigest hash = sha256();
        update(hash, options, explicit ? 1 : 0);
        for (Parameter parameter : list) {
            update(hash, parameter.name(), parameter.type().wireCode());
            hash.update(ByteBuffer.allocate(Long.BYTES).putLong(0, parameter.count()));
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private static void update(MessageDigest hash, String text, int number) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        hash.update(ByteBuffer.allocate(2 * Integer.BYTES).putInt(0, bytes.length).putInt(Integer.BYTES, number));
        hash.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new InvalidCallException("this JVM cannot hash: algorithm=SHA-256; use one that follows the specification", e);
        }
    }
}
