package io.reactivecomm.compression;

import static io.reactivecomm.compression.CodecKernels.launch;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.DeviceKernel;
import io.reactivecomm.device.KernelLaunch;
import io.reactivecomm.device.KernelLaunch.Input;
import io.reactivecomm.device.KernelQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@link TopK} on a device, with the same bits. All digits are counted, whatever the first ones tell: nothing comes back to the host. With an error
 * the sums are made in the first pass and stand in {@code after}, where later ones read them.
 */
final class DeviceTopK extends DeviceCodec {

    private static final CodecKernels KERNELS = new CodecKernels("top_k");
    private static final DeviceKernel COUNT = KERNELS.named("top_k_count");
    private static final DeviceKernel CHOOSE = KERNELS.named("top_k_choose");
    private static final DeviceKernel TALLY = KERNELS.named("top_k_tally");
    private static final DeviceKernel PLACES = KERNELS.named("top_k_places");
    private static final DeviceKernel WRITE = KERNELS.named("top_k_write");
    private static final DeviceKernel CLEAR = KERNELS.named("top_k_clear");
    private static final DeviceKernel SCATTER = KERNELS.named("top_k_scatter");
    private static final DeviceKernel MARK = KERNELS.named("top_k_mark");

    /** A part's digits and what is wanted of them, and the counts of 11 bits. */
    private static final long SELECTION_BYTES = 2 * Integer.BYTES + (Integer.BYTES << 11);

    /** Below the digits of a magnitude of 31 bits, from the highest on. */
    private static final int[] SHIFTS = {31, 20, 9, 0};

    private static final int PLACES_THREADS = 1024;

    private final TopK host;

    DeviceTopK(TopK host, KernelQueue queue, LongFunction<Tensor> scratch) {
        super(host, queue, scratch);
        this.host = host;
    }

    @Override
    void encode(DeviceNumbers numbers, @Nullable Tensor after, Parts parts) {
        DeviceNumbers sums = new DeviceNumbers(after == null ? numbers.values() : after, null);
        long tiles = Math.ceilDiv(parts.count(), CodecKernels.TILE);
        try (Tensor selections = scratch(parts.parts() * SELECTION_BYTES);
                Tensor tallies = scratch(parts.parts() * tiles * Long.BYTES)) {
            List<KernelLaunch> launches = new ArrayList<>(find(0, numbers, after, parts, selections));
            launches.addAll(find(1, sums, null, parts, selections));
            launches.addAll(find(2, sums, null, parts, selections));
            launches.add(launch(TALLY, tiles * parts.parts(), sums.and(parts.count(), tiles, selections, tallies)));
            launches.add(new KernelLaunch(PLACES, parts.parts(), PLACES_THREADS, List.of(tallies, tiles)));
            launches.add(launch(
                    WRITE,
                    tiles * parts.parts(),
                    sums.and(
                            parts.count(),
                            tiles,
                            selections,
                            tallies,
                            parts.encoded(),
                            parts.bytes(),
                            DeviceNumbers.orNone(after))));
            enqueue(launches.toArray(KernelLaunch[]::new));
        }
    }

    /** {@return what finds a digit of each part's k-th magnitude, and writes the numbers where sums are wanted} */
    private List<KernelLaunch> find(
            int digit, DeviceNumbers numbers, @Nullable Tensor sums, Parts parts, Tensor selections) {
        long shift = SHIFTS[digit];
        long next = SHIFTS[digit + 1];
        long chunks = Math.ceilDiv(parts.count(), CodecKernels.CHUNK);
        long wanted = digit == 0 ? host.kept(parts.count()) : 0;
        return List.of(
                launch(
                        COUNT,
                        chunks * parts.parts(),
                        numbers.and(DeviceNumbers.orNone(sums), parts.count(), chunks, selections, shift, next)),
                launch(CHOOSE, parts.parts(), List.of(selections, wanted, shift - next)));
    }

    @Override
    void decode(Tensor encoded, double weight, boolean adds, Tensor numbers) {
        long pairs = host.kept(numbers.count());
        List<Object> arguments = List.of(
                new Input(encoded),
                pairs,
                numbers,
                numbers.count(),
                DeviceNumbers.kind(numbers.type()),
                asLong(adds),
                (float) weight);
        long pairBlocks = Math.ceilDiv(pairs, CodecKernels.THREADS);
        KernelLaunch clear = launch(CLEAR, Math.ceilDiv(numbers.count(), CodecKernels.TILE), arguments);
        KernelLaunch scatter = launch(SCATTER, pairBlocks, arguments);
        KernelLaunch mark = launch(MARK, pairBlocks, arguments);
        if (adds) {
            enqueue(scatter, mark);
        } else {
            enqueue(clear, scatter, mark);
        }
    }
}
