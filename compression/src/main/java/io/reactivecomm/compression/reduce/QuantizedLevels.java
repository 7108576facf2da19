package io.reactivecomm.compression.reduce;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.compression.internal.levels.ChunkEncoder;
import io.reactivecomm.compression.internal.levels.LevelFeedback;
import io.reactivecomm.compression.internal.levels.QuantizedLevel;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Both levels of one reduce-scatter, one after the other; one of a single rank is left out.
 *
 * @param inside makes the calls
 * @param encoders of both levels, by place
 */
record QuantizedLevels(Levels levels, ProcessGroup inside, BlockQuantization codec, List<ChunkEncoder> encoders) {

    /** {@return the end, with the bytes that this rank has sent to others} The shard is there then. */
    Mono<Long> run(Tensor values, Tensor shard, double weight) {
        ChunkEncoder within = encoders.get(LevelFeedback.WITHIN);
        ChunkEncoder across = encoders.get(LevelFeedback.ACROSS);
        if (levels.acrossHosts().size() == 1) {
            return last(levels.withinHost(), within, values, shard, weight);
        }
        if (levels.withinHost().size() == 1) {
            return last(levels.acrossHosts(), across, values, shard, weight);
        }
        return StepMemory.with(memory -> {
            Tensor sums = memory.of(() -> Tensor.allocate(
                    values.type().accumulator(),
                    shard.count() * levels.acrossHosts().size()));
            return QuantizedLevel.run(new QuantizedLevel.Load(
                            inside.within(levels.withinHost()), codec, within, values, sums, shard.count(), weight))
                    .flatMap(first ->
                            last(levels.acrossHosts(), across, sums, shard, 1).map(second -> first + second));
        });
    }

    /** {@return the last level, whose sums are the shard once they are rounded to its type} */
    private Mono<Long> last(ProcessGroup group, ChunkEncoder encoder, Tensor values, Tensor shard, double weight) {
        return StepMemory.with(memory -> {
            Tensor sum = memory.of(() -> Tensor.allocate(values.type().accumulator(), shard.count()));
            return QuantizedLevel.run(new QuantizedLevel.Load(
                            inside.within(group), codec, encoder, values, sum, shard.count(), weight))
                    .doOnNext(bytes -> HostMoves.run(List.of(Move.copy(sum, shard))));
        });
    }
}
