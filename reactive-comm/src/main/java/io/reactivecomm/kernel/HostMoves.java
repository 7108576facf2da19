package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The moves between memories that the host reaches, done one after the other.
 *
 * <p><b>Threads.</b> An instance owns scratch strips: one thread at a time.
 */
public final class HostMoves {

    /** The types and the factor of a conversion: one is made for all moves of a list that need the same. */
    private record Kind(DType from, DType to, double factor) {}

    private final Function<Tensor, MemorySegment> memory;
    private final Map<Kind, Conversion> conversions = new HashMap<>();

    /** @param memory where the host reaches a tensor's elements */
    public HostMoves(Function<Tensor, MemorySegment> memory) {
        this.memory = memory;
    }

    /** Does them on this thread, for tensors in the host's memory. */
    public static void run(List<Move> moves) {
        HostMoves all = new HostMoves(Tensor::segment);
        for (int i = 0; i < moves.size(); i++) {
            all.move(moves.get(i));
        }
    }

    /** Does one on this thread. */
    public void move(Move move) {
        Tensor from = move.from();
        MemorySegment target = memory.apply(move.to());
        if (from == null) {
            target.fill((byte) 0);
        } else if (move.factor() == 1 && from.type() == move.to().type()) {
            MemorySegment.copy(memory.apply(from), 0, target, 0, from.byteSize());
        } else {
            conversions
                    .computeIfAbsent(
                            new Kind(from.type(), move.to().type(), move.factor()),
                            kind -> Conversion.of(kind.from, kind.to, kind.factor))
                    .convert(memory.apply(from), target, from.count());
        }
    }
}
