package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.FiniteElements;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.InHostMemory;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.compression.internal.call.Weights;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * An all-gather of weights that travel quantised: each rank quantises its shard, and every rank reads all of them. ZeRO++'s qwZ.
 *
 * <pre>{@code
 * QuantizedAllGather.of(BlockQuantization.int8()).allGather(group, shard, weights).subscribe();
 * }</pre>
 *
 * <p><b>What comes out</b> has the same bits on all ranks, also on the one whose shard it was: that keeps the exact shard, and computes with the same weights as the others.
 *
 * <p><b>Shapes.</b> FLOAT16, BFLOAT16, FLOAT32 and FLOAT64. The output has the shard's type, and its elements as often as there are ranks. <b>In place</b> if the shard is the rank's own
 * part of the output: it is replaced by what was quantised.
 *
 * <p><b>Special values.</b> A NaN or an infinity makes its block NaN on all ranks, and {@link Compressed#isFinite} false.
 *
 * <p><b>Devices.</b> Codecs run on the host: elements of a device are moved there and back.
 *
 * <p><b>Errors.</b> Those of {@link ProcessGroup#allGather(Tensor, Tensor)}; {@link io.reactivecomm.compression.DecodingException} for bytes that no codec has written.
 *
 * <p><b>Cost.</b> One all-gather of the encoded shard.
 *
 * <p><b>Threads.</b> Any. Immutable.
 *
 * <p><b>Source.</b> Wang et al., <em>ZeRO++</em>, 2023, section 3.1.
 */
public final class QuantizedAllGather {

    private final BlockQuantization codec;

    private QuantizedAllGather(BlockQuantization codec) {
        this.codec = codec;
    }

    /** {@return one by that codec} Bytes lose little of weights; half bytes do not train. */
    public static QuantizedAllGather of(BlockQuantization codec) {
        return new QuantizedAllGather(Objects.requireNonNull(
                codec, "a quantised all-gather has no codec; give one, such as BlockQuantization.int8()"));
    }

    /** {@return the all-gather, cold; each subscription is a call} */
    public Mono<Compressed> allGather(ProcessGroup group, Tensor shard, Tensor output) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(shard, "shard");
        Objects.requireNonNull(output, "output");
        String operation = "quantised all-gather(" + shard.type() + " × " + shard.count() + ", " + codec.label() + ")";
        return new CompressedCall(Operation.ALL_GATHER, operation, List.of(shard), List.of(output))
                .in(group, inside -> Mono.defer(() -> begun(inside, shard, output)));
    }

    private Mono<Compressed> begun(ProcessGroup group, Tensor shard, Tensor output) {
        String why = Weights.refusal(shard.type());
        if (why != null || output.type() != shard.type() || output.count() != shard.count() * group.size()) {
            throw new InvalidCallException("a shard cannot be gathered so: shard=" + shard + ", output=" + output
                    + ", ranks=" + group.size() + ", why=" + (why == null ? "the output does not fit all shards" : why)
                    + "; give floating-point elements, and room for as many shards as there are ranks");
        }
        return InHostMemory.read(
                group, shard, own -> InHostMemory.write(group, output, all -> onHost(group, own, all)));
    }

    private Mono<Compressed> onHost(ProcessGroup group, Tensor shard, Tensor output) {
        long bytes = codec.maxEncodedBytes(shard.count());
        return StepMemory.with(memory -> {
            Tensor own = memory.of(() -> group.allocate(DType.UINT8, bytes));
            Tensor all = memory.of(() -> group.allocate(DType.UINT8, Math.multiplyExact(bytes, group.size())));
            return CodecThreads.run(group, () -> codec.encode(shard, 1, own, new long[1]))
                    .then(Mono.defer(() -> group.allGather(own, all)).then())
                    .then(CodecThreads.run(group, () -> decode(all, bytes, output, shard.count())))
                    .then(Mono.fromSupplier(
                            () -> new Compressed(0, true, (group.size() - 1) * bytes, FiniteElements.only(output))));
        });
    }

    private void decode(Tensor all, long bytes, Tensor output, long count) {
        for (long rank = 0; count > 0 && rank < output.count() / count; rank++) {
            codec.decode(all.slice(rank * bytes, bytes), output.slice(rank * count, count));
        }
    }
}
