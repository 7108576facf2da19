package io.reactivecomm.compression;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.KernelQueue;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * A way to write numbers in fewer bytes, and to read them back.
 *
 * <p>A codec is a value without state: its methods are functions of their arguments, and two equal codecs give equal bits on all machines. A NaN's
 * payload is outside this promise. The state of error feedback is the caller's, as the tensors {@code before} and {@code after}.
 *
 * <p><b>Types.</b> Values and sums are FLOAT16, BFLOAT16, FLOAT32 or FLOAT64. The arithmetic is that of the type's {@linkplain
 * io.reactivecomm.DType#accumulator() accumulator}, and a 16-bit type is rounded once, when it is written. An encoding does not tell the
 * type: what was FLOAT16 may be decoded as FLOAT32.
 *
 * <p><b>Parts.</b> Values are cut into equal parts, one for each rank that they go to. The encoding of a part stands by itself. Here are seven values
 * with their error of eight elements, in four parts:
 *
 * <pre>
 *   values   | x0 x1 | x2 x3 | x4 x5 | x6    |       the eighth is a zero
 *   encoded  | part 0 …  | part 1 …  | part 2 …  | part 3 …  |
 *            0           m           2m          3m           m = maxEncodedBytes(2)
 * </pre>
 *
 * No elements take no bytes.
 *
 * <p><b>Special values.</b> A part that has a NaN or an infinity decodes to at least one: {@linkplain io.reactivecomm.compression.reduce.CompressedAllReduce compressed all-reduces} see
 * by their results which steps to leave out. An encoder that selects elements selects these first.
 *
 * <p><b>Buffers.</b> All tensors are in the host's memory, or {@linkplain #on on one device}. None is kept. Memory is not allocated by the size of
 * anything: a thread that encodes or decodes for the first time gets strips of some tens of KiB.
 *
 * <p><b>Threads.</b> Any, and several at once.
 *
 * <p><b>Errors.</b> {@link io.reactivecomm.InvalidCallException} for tensors that do not fit the call, before anything is written; {@link
 * DecodingException} for bytes that no encoder has written, before anything is written, too.
 */
public interface Codec {

    /** {@return the name and all parameters that ranks must have in common, such as {@code int8(block=2048)}} */
    String label();

    /** {@return what is promised of decoded values} */
    Fidelity fidelity();

    /**
     * {@return the largest distance of a decoded value from what was encoded, as a fraction of the largest magnitude in its block; 0 of an
     * exact codec, infinity of a lossy one} It is that of the accumulator's arithmetic: a 16-bit type is rounded once more.
     */
    double errorBound();

    /** {@return the bits on the wire for each of many elements} */
    double bitsPerElement();

    /**
     * {@return the bytes that the encoding of one part of so many elements takes at most}
     *
     * @throws io.reactivecomm.InvalidCallException if the codec cannot encode so many
     */
    long maxEncodedBytes(long count);

    /** {@return whether every encoding takes exactly {@link #maxEncodedBytes}} */
    boolean isFixedLength();

    /**
     * Encodes values in parts.
     *
     * @param parts a divisor of the number of values
     * @param encoded UINT8; part {@code p} is written from {@code p * maxEncodedBytes(partCount)} on
     * @param lengths takes the bytes of each part
     */
    void encode(Tensor values, int parts, Tensor encoded, long[] lengths);

    /**
     * Encodes values and what was lost of earlier ones, and tells what is lost now.
     *
     * <p>With N elements of {@code before} and {@code after}, and values that are zero beyond their count: {@code b = values + before} is
     * encoded as by {@link #encode}, and {@code after = b - decoded}. All of it is arithmetic of the accumulator. A NaN or an infinity leaves
     * a NaN in {@code after}: keep {@code before} for the next step.
     *
     * <p><b>In place.</b> {@code before} and {@code after} are different memory, so that a call that fails leaves the state as it was.
     *
     * <p><b>Cost.</b> The default takes three passes: the sum, {@link #encode}, {@link #decodeAndAdd}. It allocates two views of tensors
     * for each part.
     *
     * @param before what was lost before, of the accumulator's type, with at least as many elements as there are values
     * @param after as many elements of the same type, which are overwritten
     * @param parts a divisor of N
     */
    default void encodeWithError(
            Tensor values, Tensor before, Tensor after, int parts, Tensor encoded, long[] lengths) {
        ErrorFeedback.encode(this, values, before, after, parts, encoded, lengths);
    }

    /**
     * Decodes one part.
     *
     * @param encoded UINT8, all bytes of the part and no others
     * @param values takes as many elements as were encoded
     */
    void decode(Tensor encoded, Tensor values);

    /**
     * Decodes one part and adds it, with a weight: {@code sum[i] += weight * decoded[i]}. The weight is a number of the accumulator's type.
     * A codec with scales multiplies the scale by it first; a weight of -1 subtracts exactly what {@link #decode} would give in the
     * accumulator.
     *
     * @param sum as many elements as were encoded
     */
    void decodeAndAdd(Tensor encoded, double weight, Tensor sum);

    /**
     * {@return the codec of the next step, after this one has written these bytes} Codecs that do not adapt stay what they are.
     *
     * @param encoded UINT8, any one part
     */
    default Codec after(Tensor encoded) {
        Objects.requireNonNull(encoded, "encoded");
        return this;
    }

    /** {@return the numbers that have adapted, to be saved} Not those of the label. */
    default double[] adapted() {
        return new double[0];
    }

    /**
     * {@return the codec that has adapted so}
     *
     * @param saved what {@link #adapted} gave
     * @throws io.reactivecomm.InvalidCallException if a codec like this does not adapt so
     */
    default Codec adaptedAs(double[] saved) {
        Objects.requireNonNull(saved, "saved");
        if (saved.length != 0) {
            throw new InvalidCallException("a codec does not adapt: codec=" + label() + ", saved=" + saved.length
                    + " numbers; restore what this codec saved");
        }
        return this;
    }

    /**
     * {@return the same codec for tensors of a device, whose methods enqueue kernels in place of computing, and return at once; empty if it has
     * none}
     *
     * <p>Label, lengths and layout are the same, so that a rank on a host and one on a GPU read each other's parts. Bits are the same where the
     * host's order of operations can be kept; each codec says where it cannot.
     *
     * <p><b>Types.</b> FLOAT16, BFLOAT16 and FLOAT32: FLOAT64 is refused, and goes by way of the host.
     *
     * <p><b>Buffers.</b> All tensors are on one device. Kernels come behind whatever was enqueued on them before.
     *
     * <p><b>Errors.</b> What can be seen without reading elements is refused as on a host: types, counts, parts, lengths, overlaps. Bytes that no
     * encoder has written are not: what a host would refuse by a header or an index shows as a NaN, bits that belong to no element are not looked at,
     * and nothing beyond the tensors is read or written. What a device fails at is told where its tensors are waited for.
     *
     * <p><b>Cost.</b> {@link DeviceTraffic}.
     *
     * @param queue where kernels are enqueued
     * @param scratch gives a zeroed UINT8 tensor of so many bytes on the device, which is closed as soon as the kernels are enqueued
     */
    default Optional<Codec> on(KernelQueue queue, LongFunction<Tensor> scratch) {
        return Optional.empty();
    }
}
