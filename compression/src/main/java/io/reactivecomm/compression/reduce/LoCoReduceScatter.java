package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.internal.levels.ChunkEncoder;
import io.reactivecomm.compression.internal.levels.LevelFeedback;
import io.reactivecomm.compression.internal.levels.MovingErrors;
import io.reactivecomm.compression.internal.state.Generation;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateHome;
import io.reactivecomm.compression.internal.state.StateShape;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * A quantised reduce-scatter over two levels with error feedback: LoCo.
 *
 * <pre>{@code
 * LoCoReduceScatter loCo = LoCoReduceScatter.of(BlockQuantization.int4(), LoCoOptions.DEFAULT);
 * loCo.reduceScatter("layer1.weight", levels, gradient, shard, ReduceOp.AVG).subscribe();
 * }</pre>
 *
 * <p>For each name a rank keeps two moving averages of what quantising has lost: of its own elements, before they go to the ranks of its host, and of its host's sums, before they go to
 * other hosts. They are added before the next step is quantised. They are kept as bytes, so that they take little more than a byte an element.
 *
 * <p><b>State</b> is that of {@link CompressionState}. On another number of ranks errors begin as zeros. Tensors that go uncompressed have none, but {@link CompressionState#nonFinite} names
 * them, too.
 *
 * <p><b>Special values.</b> As of {@link QuantizedReduceScatter}; a step whose result is not finite leaves the state of all ranks as it was.
 *
 * <p><b>Cost.</b> As {@link QuantizedReduceScatter}, with a small all-gather in which ranks compare steps. For N elements, H hosts of L ranks each: N·(1 + 1/L) bytes of state on a rank, and
 * as many for the step before.
 *
 * <p><b>Shapes, errors, threads.</b> As {@link QuantizedReduceScatter}. After an error the output is unspecified, and the state is that of before the step.
 *
 * <p><b>Source.</b> Xie et al., <em>LoCo</em>, 2024; DeepSpeed's all_to_all_loco_quant_reduce.
 */
public final class LoCoReduceScatter implements AutoCloseable {

    private final BlockQuantization codec;
    private final LoCoOptions options;
    private final CompressionState state = new CompressionState(true, new double[0]);

    private LoCoReduceScatter(BlockQuantization codec, LoCoOptions options) {
        this.codec = codec;
        this.options = options;
    }

    /** {@return one with a state of its own} */
    public static LoCoReduceScatter of(BlockQuantization codec, LoCoOptions options) {
        Objects.requireNonNull(codec, "LoCo has no codec; give one, such as BlockQuantization.int4()");
        return new LoCoReduceScatter(
                codec, Objects.requireNonNull(options, "LoCo has no options; give some, such as LoCoOptions.DEFAULT"));
    }

    /** {@return the state of this rank} */
    public CompressionState state() {
        return state;
    }

    /**
     * Reduces a tensor and leaves this rank's part of it in the output.
     *
     * <p>Steps meet as all calls of a view do, in the order in which they are assembled, whatever their names: names that come in other orders on other ranks take views of their own
     * ({@link ProcessGroup#named}). One at a time is under way for each name.
     *
     * @param name of the state, the same on all ranks
     * @return cold; each subscription is a step
     */
    public Mono<Compressed> reduceScatter(String name, Levels levels, Tensor tensor, Tensor output, Reduction op) {
        Objects.requireNonNull(levels, "levels");
        Objects.requireNonNull(tensor, "tensor");
        Objects.requireNonNull(output, "output");
        Objects.requireNonNull(op, "op");
        Objects.requireNonNull(name, "a quantised reduce-scatter has no name; give one, the same on all ranks");
        return QuantizedReduceScatter.call(
                        levels, name + ", " + options.label(), codec, tensor, output, op, (inside, values, both) -> {
                            StateShape shape = new StateShape(
                                    codec.label() + ", " + levels.label() + ", " + options.label(),
                                    values.type(),
                                    values.count(),
                                    inside.size(),
                                    inside.rank(),
                                    kept(levels, values.count()));
                            return state.step(
                                    inside,
                                    name,
                                    shape,
                                    StateHome.HOST,
                                    named -> both.apply(encoders(named)).map(done -> {
                                        long step = named.latest().step();
                                        named.ended(
                                                done.isFinite(), named.latest().adapted());
                                        return new Compressed(step, true, done.bytesSent(), done.isFinite());
                                    }));
                        })
                .doOnNext(done -> noteUncompressed(name, done));
    }

    private void noteUncompressed(String name, Compressed done) {
        if (!done.isCompressed()) {
            state.endedWithoutState(name, done.isFinite());
        }
    }

    /** {@return the bytes of both levels' errors, by place} */
    private static List<StateShape.Kept> kept(Levels levels, long count) {
        return levels.chunks().stream()
                .map(chunks -> new StateShape.Kept(
                        DType.UINT8, chunks * MovingErrors.STORAGE.maxEncodedBytes(count / levels.ranks())))
                .toList();
    }

    private List<ChunkEncoder> encoders(NamedState named) {
        Generation now = named.latest();
        Generation next = named.next();
        boolean isReset = now.step() % options.resetSteps() == 0;
        return List.of(LevelFeedback.WITHIN, LevelFeedback.ACROSS).stream()
                .<ChunkEncoder>map(place ->
                        new MovingErrors(codec, options.errorBeta(), isReset, now.kept(place), next.kept(place)))
                .toList();
    }

    /** Frees the memory of the state; a step that goes on ends first. Idempotent. */
    @Override
    public void close() {
        state.close();
    }
}
