package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.KernelLaunch;
import io.reactivecomm.device.KernelQueue;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A codec of fixed length {@linkplain Codec#on on a device}: what is promised of it, and the checks, are the host's.
 *
 * <p><b>Threads.</b> Any, and several at once.
 */
abstract sealed class DeviceCodec implements Codec permits DeviceOneBit, DeviceBlocks, DeviceTopK {

    private final Codec host;
    private final KernelQueue queue;
    private final LongFunction<Tensor> scratch;

    DeviceCodec(Codec host, KernelQueue queue, LongFunction<Tensor> scratch) {
        this.host = host;
        this.queue = queue;
        this.scratch = scratch;
    }

    /** The parts of a call: as many bytes of each, one behind the other. */
    record Parts(int parts, long count, Tensor encoded, long bytes) {}

    /**
     * Enqueues the encoding of at least one number.
     *
     * @param after takes what is lost; null if it is not wanted
     */
    abstract void encode(DeviceNumbers numbers, @Nullable Tensor after, Parts parts);

    /** Enqueues the decoding of a part of at least one number. */
    abstract void decode(Tensor encoded, double weight, boolean adds, Tensor numbers);

    @Override
    public final void encode(Tensor values, int parts, Tensor encoded, long[] lengths) {
        CodecChecks.encoding(this, values, parts, encoded, lengths);
        requireHere(List.of(values, encoded));
        encode(new DeviceNumbers(values, null), null, parts, encoded, lengths);
    }

    @Override
    public final void encodeWithError(
            Tensor values, Tensor before, Tensor after, int parts, Tensor encoded, long[] lengths) {
        CodecChecks.encodingWithError(this, values, before, after, parts, encoded, lengths);
        requireHere(List.of(values, before, after, encoded));
        encode(new DeviceNumbers(values, before), after, parts, encoded, lengths);
    }

    private void encode(DeviceNumbers numbers, @Nullable Tensor after, int parts, Tensor encoded, long[] lengths) {
        long partCount = numbers.count() / parts;
        long bytes = maxEncodedBytes(partCount);
        if (partCount > 0) {
            encode(numbers, after, new Parts(parts, partCount, encoded, bytes));
        }
        Arrays.fill(lengths, 0, parts, bytes);
    }

    @Override
    public final void decode(Tensor encoded, Tensor values) {
        CodecChecks.decoding(this, encoded, "values", values);
        decodeChecked(encoded, 1, false, values);
    }

    @Override
    public final void decodeAndAdd(Tensor encoded, double weight, Tensor sum) {
        CodecChecks.decoding(this, encoded, "sum", sum);
        decodeChecked(encoded, weight, true, sum);
    }

    private void decodeChecked(Tensor encoded, double weight, boolean adds, Tensor numbers) {
        requireHere(List.of(encoded, numbers));
        if (numbers.count() > 0) {
            decode(encoded, weight, adds, numbers);
        }
    }

    private void requireHere(List<Tensor> tensors) {
        Device device = tensors.getFirst().device();
        for (Tensor tensor : tensors) {
            if (tensor.device().equals(Device.CPU) || !tensor.device().equals(device)) {
                throw invalid(
                        tensor, "other=" + device, "give tensors of one device, or the host's codec those of the host");
            }
            if (tensor.type() == DType.FLOAT64) {
                throw invalid(tensor, "type=FLOAT64", "encode and decode them by the host's codec");
            }
            if (tensor.address() % tensor.type().byteSize() != 0) {
                throw invalid(
                        tensor,
                        "address=" + Long.toHexString(tensor.address()),
                        "let elements begin at a multiple of their size");
            }
        }
    }

    private InvalidCallException invalid(Tensor tensor, String facts, String remedy) {
        return new InvalidCallException("a codec of a device does not take a tensor: codec=" + label() + ", tensor="
                + tensor + ", " + facts + "; " + remedy);
    }

    final void enqueue(KernelLaunch... launches) {
        queue.launch(List.of(launches));
    }

    /** {@return zeroed memory, which the caller closes when its kernels are enqueued} */
    final Tensor scratch(long bytes) {
        return scratch.apply(bytes);
    }

    static long asLong(boolean is) {
        return is ? 1 : 0;
    }

    @Override
    public final String label() {
        return host.label();
    }

    @Override
    public final Fidelity fidelity() {
        return host.fidelity();
    }

    @Override
    public final double errorBound() {
        return host.errorBound();
    }

    @Override
    public final double bitsPerElement() {
        return host.bitsPerElement();
    }

    @Override
    public final long maxEncodedBytes(long count) {
        return host.maxEncodedBytes(count);
    }

    @Override
    public final boolean isFixedLength() {
        return true;
    }

    @Override
    public final String toString() {
        return label() + " on a device";
    }
}
