package io.reactivecomm.rcomm.gpu.check;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.nccl.cuda.CudaMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kernel of moves: elements that change their type, and a bucket that is packed, beside the driver's own copy of as many bytes. */
final class MovesCheck implements Check {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Gradients of a bucket: more than one launch takes. */
    private static final int PACKED = 100;

    private static final double FACTOR = 0.3;

    @Override
    public String name() {
        return "moves";
    }

    @Override
    public String claim() {
        return "the kernel that packs, casts and scales gives the host's bits, and how near it comes to the driver's copy, which reads and writes as many bytes";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        CudaMemory memory = machine.memory();
        // Many more bytes than the caches hold, and gradients so large that their number is not what counts.
        long count = machine.sizes().copyBytes() / PACKED * PACKED;
        try (Tensor given = Tensor.allocate(DType.FLOAT32, count);
                Tensor from = memory.allocate(machine.gpu(), DType.FLOAT32, count);
                Tensor to = memory.allocate(machine.gpu(), DType.FLOAT32, count);
                Tensor narrow = memory.allocate(machine.gpu(), DType.BFLOAT16, count)) {
            fill(given);
            moved(memory, List.of(Move.copy(given, from)));
            List<Move> packing = packing(from, to);
            List<Move> casting = List.of(Move.scaled(from, narrow, FACTOR));
            requireSame(memory, packing, given, to);
            try (Tensor scaled = scaled(given)) {
                requireSame(memory, casting, scaled, narrow);
            }
            double copy = rate(2 * from.byteSize(), machine.nanos(() -> memory.move(List.of(Move.copy(from, to)))));
            double pack = rate(2 * from.byteSize(), machine.nanos(() -> memory.move(packing)));
            double cast = rate(from.byteSize() + narrow.byteSize(), machine.nanos(() -> memory.move(casting)));
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("bytes", from.byteSize());
            values.put("copyGBs", Median.tenths(copy));
            values.put("packGBs", Median.tenths(pack));
            values.put("packToCopy", Median.ratio(pack, copy));
            values.put("castGBs", Median.tenths(cast));
            values.put("castToCopy", Median.ratio(cast, copy));
            return values;
        }
    }

    /** Bytes in a nanosecond are GB in a second. */
    private static double rate(long bytes, double nanos) {
        return bytes / nanos;
    }

    private static void fill(Tensor tensor) {
        for (long i = 0; i < tensor.count(); i++) {
            tensor.segment().setAtIndex(JAVA_FLOAT, i, (i * 2_654_435_761L % 1_000_003 - 500_000) / 1e3f);
        }
    }

    private static List<Move> packing(Tensor from, Tensor to) {
        List<Move> moves = new ArrayList<>();
        long each = from.count() / PACKED;
        for (int i = 0; i < PACKED; i++) {
            moves.add(Move.copy(from.slice(i * each, each), to.slice(i * each, each)));
        }
        return moves;
    }

    private static Tensor scaled(Tensor given) {
        Tensor scaled = Tensor.allocate(DType.BFLOAT16, given.count());
        HostMoves.run(List.of(Move.scaled(given, scaled, FACTOR)));
        return scaled;
    }

    private static void moved(CudaMemory memory, List<Move> moves) {
        memory.move(moves).completed().block(LIMIT);
    }

    private static void requireSame(CudaMemory memory, List<Move> moves, Tensor expected, Tensor there) {
        moved(memory, List.of(Move.zeros(there)));
        moved(memory, moves);
        try (Tensor back = Tensor.allocate(there.type(), there.count())) {
            moved(memory, List.of(Move.copy(there, back)));
            long differs = back.segment().mismatch(expected.segment());
            if (differs >= 0) {
                throw new IllegalStateException("a kernel moves wrongly: type=" + there.type() + ", byte=" + differs
                        + ", moves=" + moves.size());
            }
        }
    }
}
