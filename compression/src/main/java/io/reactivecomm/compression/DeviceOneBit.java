package io.reactivecomm.compression;

import static io.reactivecomm.compression.CodecKernels.launch;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.DeviceKernel;
import io.reactivecomm.device.KernelLaunch.Input;
import io.reactivecomm.device.KernelQueue;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@link OneBit} on a device. The order of the norm is the device's: sums of {@link CodecKernels#CHUNK} numbers each, by as many threads in any GPU,
 * and then the sums. So the scale is the same on all GPUs, and may differ from a host's in its last place; given the scale, all else is equal.
 */
final class DeviceOneBit extends DeviceCodec {

    private static final CodecKernels KERNELS = new CodecKernels("one_bit");
    private static final DeviceKernel SQUARES = KERNELS.named("one_bit_squares");
    private static final DeviceKernel SCALE = KERNELS.named("one_bit_scale");
    private static final DeviceKernel PACK = KERNELS.named("one_bit_pack");
    private static final DeviceKernel UNPACK = KERNELS.named("one_bit_unpack");

    DeviceOneBit(OneBit host, KernelQueue queue, LongFunction<Tensor> scratch) {
        super(host, queue, scratch);
    }

    @Override
    void encode(DeviceNumbers numbers, @Nullable Tensor after, Parts parts) {
        long chunks = Math.ceilDiv(numbers.count(), CodecKernels.CHUNK);
        long tiles = Math.ceilDiv(parts.count(), CodecKernels.TILE);
        try (Tensor sums = scratch(chunks * Double.BYTES)) {
            List<Object> pack =
                    numbers.and(parts.encoded(), parts.bytes(), parts.count(), tiles, DeviceNumbers.orNone(after));
            enqueue(
                    launch(SQUARES, chunks, numbers.and(numbers.count(), sums)),
                    launch(
                            SCALE,
                            1,
                            List.of(
                                    sums,
                                    chunks,
                                    numbers.count(),
                                    parts.encoded(),
                                    (long) parts.parts(),
                                    parts.bytes())),
                    launch(PACK, tiles * parts.parts(), pack));
        }
    }

    @Override
    void decode(Tensor encoded, double weight, boolean adds, Tensor numbers) {
        List<Object> arguments = List.of(
                new Input(encoded),
                encoded.count(),
                numbers,
                numbers.count(),
                DeviceNumbers.kind(numbers.type()),
                asLong(adds),
                (float) weight);
        enqueue(launch(UNPACK, Math.ceilDiv(numbers.count(), CodecKernels.TILE), arguments));
    }
}
