package io.reactivecomm.rcomm.gpu;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.DeviceTraffic;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.rcomm.gpu.check.Check;
import io.reactivecomm.rcomm.gpu.check.Machine;
import io.reactivecomm.rcomm.gpu.check.Median;
import io.reactivecomm.rcomm.gpu.check.SkippedCheck;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The codecs' kernels: their bits beside the host's codecs, and their times beside the driver's copy, which moves bytes as fast as the memory can. The share of
 * each is the time in which a copy would move the bytes that the kernel has to, divided by the kernel's.
 */
final class CodecsCheck implements Check {

    /** What one-bit and int8 are to reach. */
    private static final double GOAL = 0.7;

    private static final int VERIFIED = 100_003;

    /** @param hasGoal whether it is to reach the goal */
    private record Row(String name, Codec codec, boolean hasGoal) {

        /** {@return the bytes that its kernels have to move for each element} */
        private DeviceTraffic traffic() {
            return DeviceTraffic.of(codec, DType.FLOAT32).orElseThrow();
        }
    }

    private static final List<Row> ROWS = List.of(
            new Row("oneBit", new OneBit(), true),
            new Row("int8", BlockQuantization.int8(), true),
            new Row("int4", BlockQuantization.int4(), false),
            new Row("topK", new TopK(0.01), false));

    @Override
    public String name() {
        return "codecs";
    }

    @Override
    public String claim() {
        return "kernels of the codecs give the host's bits (one-bit: its scale to the last place), and how near each comes to a copy of the bytes that it has to move";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        CudaMemory memory = machine.memory();
        // Many more bytes than the caches hold.
        long count = machine.sizes().copyBytes();
        double copyRate = copyRate(machine, memory, count);
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("elements", count);
        values.put("copyGBs", Median.tenths(copyRate));
        for (Row row : ROWS) {
            verify(row, memory, machine.gpu());
            measure(row, machine, count, copyRate, values);
        }
        return values;
    }

    /** {@return the bytes that the driver's copy reads and writes in a nanosecond} */
    private static double copyRate(Machine machine, CudaMemory memory, long count) throws SkippedCheck {
        try (Tensor from = memory.allocate(machine.gpu(), DType.FLOAT32, count);
                Tensor to = memory.allocate(machine.gpu(), DType.FLOAT32, count)) {
            return 2 * from.byteSize() / machine.nanos(() -> memory.move(List.of(Move.copy(from, to))));
        }
    }

    private static void verify(Row row, CudaMemory memory, Device gpu) {
        try (CodecRun host = CodecRun.onHost(row.codec(), VERIFIED);
                CodecRun there = CodecRun.onDevice(row.codec(), VERIFIED, memory, gpu)) {
            host.run();
            there.run();
            there.requireSame(host, row.codec() instanceof OneBit);
        }
    }

    private static void measure(Row row, Machine machine, long count, double copyRate, Map<String, Object> values)
            throws SkippedCheck {
        try (CodecRun there = CodecRun.onDevice(row.codec(), count, machine.memory(), machine.gpu())) {
            double encoding = put(
                    row.name() + "Encode",
                    row.traffic().encodeWithError() * count,
                    machine.nanos(there::encode),
                    copyRate,
                    values);
            double decoding = put(
                    row.name() + "Decode",
                    row.traffic().decodeAndAdd() * count / CodecRun.PARTS,
                    machine.nanos(there::decode),
                    copyRate,
                    values);
            if (row.hasGoal()) {
                values.put(row.name() + "IsMet", Math.min(encoding, decoding) >= GOAL);
            }
        }
    }

    /** {@return the share} */
    private static double put(String name, double bytes, double nanos, double copyRate, Map<String, Object> values) {
        double share = Median.ratio(bytes / copyRate, nanos);
        values.put(name + "Micros", Median.micros(nanos));
        values.put(name + "Share", share);
        return share;
    }
}
