package io.reactivecomm.compression;

import static io.reactivecomm.compression.CodecKernels.launch;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.DeviceKernel;
import io.reactivecomm.device.KernelLaunch.Input;
import io.reactivecomm.device.KernelQueue;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@link BlockQuantization} on a device, with the same bits: a largest magnitude needs no order. */
final class DeviceBlocks extends DeviceCodec {

    private static final CodecKernels KERNELS = new CodecKernels("blocks");
    private static final DeviceKernel QUANTIZE = KERNELS.named("blocks_quantize");
    private static final DeviceKernel DEQUANTIZE = KERNELS.named("blocks_dequantize");

    private static final int ELEMENTS_OF_A_THREAD = CodecKernels.TILE / CodecKernels.THREADS;

    private final BlockQuantization host;

    /** Threads that have one block, a power of two. */
    private final int lanes;

    DeviceBlocks(BlockQuantization host, KernelQueue queue, LongFunction<Tensor> scratch) {
        super(host, queue, scratch);
        this.host = host;
        int threads = Math.ceilDiv(host.block(), ELEMENTS_OF_A_THREAD);
        this.lanes = threads == 1 ? 1 : 2 * Integer.highestOneBit(threads - 1);
    }

    @Override
    void encode(DeviceNumbers numbers, @Nullable Tensor after, Parts parts) {
        Object[] others = Stream.concat(
                        Stream.of(parts.encoded(), DeviceNumbers.orNone(after)), geometry(parts.count(), parts.bytes()))
                .toArray();
        enqueue(launch(QUANTIZE, threadBlocks(parts.count()) * parts.parts(), numbers.and(others)));
    }

    @Override
    void decode(Tensor encoded, double weight, boolean adds, Tensor numbers) {
        Stream<Object> first = Stream.of(new Input(encoded), numbers, DeviceNumbers.kind(numbers.type()), asLong(adds));
        List<Object> arguments = Stream.of(
                        first, geometry(numbers.count(), encoded.count()), Stream.<Object>of((float) weight))
                .flatMap(each -> each)
                .toList();
        enqueue(launch(DEQUANTIZE, threadBlocks(numbers.count()), arguments));
    }

    private long threadBlocks(long partCount) {
        return Math.ceilDiv(Math.ceilDiv(partCount, host.block()), CodecKernels.THREADS / lanes);
    }

    /** {@return the fields of {@code struct geometry}} */
    private Stream<Object> geometry(long partCount, long partBytes) {
        return Stream.of(
                host.block(), lanes, host.levels(), Math.toIntExact(threadBlocks(partCount)), partCount, partBytes);
    }
}
