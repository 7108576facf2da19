package io.reactivecomm.compression;

import io.reactivecomm.DType;
import java.util.Objects;
import java.util.Optional;

/**
 * The bytes of a device's memory that kernels of a {@linkplain Codec#on codec} read and write for each of many elements: their floor, which the rate
 * of the memory turns into a time. What caches spare is not taken off.
 *
 * @param encode by {@link Codec#encode}
 * @param encodeWithError by {@link Codec#encodeWithError}
 * @param decode by {@link Codec#decode}
 * @param decodeAndAdd by {@link Codec#decodeAndAdd}
 */
public record DeviceTraffic(double encode, double encodeWithError, double decode, double decodeAndAdd) {

    private static final int ERROR = Float.BYTES;

    /** What memory reads or writes for a single element. */
    private static final int SECTOR = 32;

    /** Passes of a selection over its numbers: one for each of three digits, one that counts, and one that writes. */
    private static final int PASSES = 5;

    /** {@return those of a codec for elements of a type; empty if it has no kernels for them} */
    public static Optional<DeviceTraffic> of(Codec codec, DType type) {
        Objects.requireNonNull(codec, "codec");
        Objects.requireNonNull(type, "type");
        if (type.accumulator() != DType.FLOAT32 || type.family() != DType.Family.FLOAT) {
            return Optional.empty();
        }
        int element = type.byteSize();
        double encoded = codec.bitsPerElement() / Byte.SIZE;
        return switch (codec) {
            case OneBit ignored -> Optional.of(dense(2, element, encoded));
            case BlockQuantization ignored -> Optional.of(dense(1, element, encoded));
            case TopK topK -> Optional.of(sparse(topK.density(), element, encoded));
            default -> Optional.empty();
        };
    }

    private static DeviceTraffic dense(int passes, int element, double encoded) {
        return new DeviceTraffic(
                passes * element + encoded,
                passes * (element + ERROR) + ERROR + encoded,
                element + encoded,
                2 * element + encoded);
    }

    private static DeviceTraffic sparse(double density, int element, double encoded) {
        double touched = Math.min(SECTOR * density, element);
        double sums = element + 2 * ERROR + (PASSES - 1) * ERROR + Math.min(SECTOR * density, ERROR);
        return new DeviceTraffic(
                PASSES * element + encoded, sums + encoded, element + touched + encoded, 2 * touched + encoded);
    }
}
