package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.util.Objects;

/** The checks of what is given to a codec, done before it writes anything. */
final class CodecChecks {

    private CodecChecks() {}

    /** Checks a call of {@link Codec#encode}. */
    static void encoding(Codec codec, Tensor values, int parts, Tensor encoded, long[] lengths) {
        numbers(codec, "values", values);
        parts(codec, values.count(), parts, encoded, lengths);
        distinct(codec, "values", values, "encoded", encoded);
    }

    /** Checks a call of {@link Codec#encodeWithError}. */
    static void encodingWithError(
            Codec codec, Tensor values, Tensor before, Tensor after, int parts, Tensor encoded, long[] lengths) {
        numbers(codec, "values", values);
        error(codec, "before", before, values);
        error(codec, "after", after, values);
        if (before.count() != after.count()) {
            throw invalid(
                    codec,
                    "before=" + before.count() + ", after=" + after.count(),
                    "give both the same number of elements");
        }
        parts(codec, after.count(), parts, encoded, lengths);
        distinct(codec, "before", before, "after", after);
        distinct(codec, "values", values, "after", after);
        distinct(codec, "encoded", encoded, "values", values);
        distinct(codec, "encoded", encoded, "before", before);
        distinct(codec, "encoded", encoded, "after", after);
    }

    /** Checks a call of {@link Codec#decode}, or of {@link Codec#decodeAndAdd}. */
    static void decoding(Codec codec, Tensor encoded, String name, Tensor numbers) {
        bytes(codec, encoded);
        numbers(codec, name, numbers);
        distinct(codec, "encoded", encoded, name, numbers);
        if (codec.isFixedLength()) {
            length(codec, encoded.count(), codec.maxEncodedBytes(numbers.count()), numbers.count());
        }
    }

    /** Checks how many bytes there are. */
    static void length(Codec codec, long bytes, long expected, long count) {
        if (bytes != expected) {
            throw DecodingException.at(
                    codec.label(),
                    "bytes=" + bytes + ", expected=" + expected + ", count=" + count,
                    Math.min(bytes, expected));
        }
    }

    /** Checks that there are bytes at all, and not more than of any encoding. */
    static void bytes(Codec codec, Tensor encoded) {
        Objects.requireNonNull(encoded, "encoded");
        if (encoded.type() != DType.UINT8) {
            throw invalid(codec, "encoded=" + encoded.type(), "give bytes as UINT8");
        }
    }

    private static void numbers(Codec codec, String name, Tensor numbers) {
        Objects.requireNonNull(numbers, name);
        if (numbers.type().family() != DType.Family.FLOAT) {
            throw invalid(codec, name + '=' + numbers.type(), "give FLOAT16, BFLOAT16, FLOAT32 or FLOAT64");
        }
    }

    private static void error(Codec codec, String name, Tensor error, Tensor values) {
        Objects.requireNonNull(error, name);
        DType expected = values.type().accumulator();
        if (error.type() != expected || error.count() < values.count()) {
            throw invalid(
                    codec,
                    name + '=' + error.count() + " of " + error.type() + ", values=" + values.count() + " of "
                            + values.type(),
                    "give an error of " + expected + " with at least as many elements as there are values");
        }
    }

    private static void parts(Codec codec, long count, int parts, Tensor encoded, long[] lengths) {
        Objects.requireNonNull(lengths, "lengths");
        bytes(codec, encoded);
        if (parts < 1 || count % parts != 0) {
            throw invalid(
                    codec,
                    "parts=" + parts + ", count=" + count,
                    "cut into equal parts, with an error that is padded to a multiple of them");
        }
        long room = Math.multiplyExact(parts, codec.maxEncodedBytes(count / parts));
        if (encoded.count() < room || lengths.length < parts) {
            throw invalid(
                    codec,
                    "encoded=" + encoded.count() + ", lengths=" + lengths.length + ", parts=" + parts + ", needed="
                            + room,
                    "give parts * maxEncodedBytes(partCount) bytes and a length for each part");
        }
    }

    private static void distinct(Codec codec, String name, Tensor tensor, String otherName, Tensor other) {
        boolean overlap = tensor.address() < other.address() + other.byteSize()
                && other.address() < tensor.address() + tensor.byteSize();
        if (overlap && tensor.byteSize() > 0 && other.byteSize() > 0) {
            throw invalid(codec, name + " and " + otherName + " overlap", "give each a memory of its own");
        }
    }

    private static InvalidCallException invalid(Codec codec, String facts, String remedy) {
        return new InvalidCallException(
                "tensors do not fit the codec: codec=" + codec.label() + ", " + facts + "; " + remedy);
    }
}
