package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.compression.FiniteElements;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.InHostMemory;
import io.reactivecomm.compression.internal.call.Weights;
import io.reactivecomm.compression.internal.lowrank.LowRankPlan;
import io.reactivecomm.compression.internal.lowrank.PowerSgdStep;
import io.reactivecomm.compression.internal.state.Generation;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateHome;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.train.BucketReducer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An all-reduce of matrices by their factors of a low rank: in gradient buckets, or of any tensor by a name.
 *
 * <pre>{@code
 * PowerSgd powerSgd = PowerSgd.of(PowerSgdOptions.DEFAULT.withRank(2));
 * GradientBuckets buckets = GradientBuckets.of(group, BucketOptions.DEFAULT.withReducer(powerSgd));       // a state for each bucket
 * }</pre>
 *
 * <p>A gradient of several dimensions is a matrix M of n rows, its first dimension, and m columns, all others. One iteration of the power method finds {@code M ≈ P Qᵀ} of rank r
 * over all ranks' M. Ranks send (n + m)·r numbers instead of n·m. What does not shrink by {@link PowerSgdOptions#leastRate}, such as vectors, goes as it is, in one all-reduce.
 *
 * <p><b>What comes out</b> has the same bits on all ranks. Factors and errors are FLOAT32, also of 16-bit elements.
 *
 * <p><b>Error feedback.</b> A rank keeps M − P Qᵀ with the Q that it had before the all-reduce, as algorithm 2 of the paper has it. All ranks' errors together are what the result
 * lacks, whatever the reduction multiplies by. (torch keeps the distance of M from the result, which has the same sum. But it grows by what ranks' gradients differ in, step by step.)
 *
 * <p><b>State</b> is kept for each bucket or name: errors and, for the warm start, Q ({@link CompressionState}). On another number of ranks both begin anew.
 *
 * <p><b>Shapes.</b> FLOAT16, BFLOAT16 and FLOAT32; SUM, AVG or {@link PreMulSum}.
 *
 * <p><b>Special values.</b> A NaN or an infinity on one rank makes its matrix NaN on all. As of {@link CompressedAllReduce}, such a step leaves the state as it was and says so.
 *
 * <p><b>Cost.</b> A small all-gather, in which ranks compare steps, an all-reduce of all P and one of all Q; three passes over the elements with r products each, one more with
 * feedback. State of 8 bytes an element on a rank.
 *
 * <p><b>Errors.</b> Those of {@link ProcessGroup#allReduce}. After an error the tensor is unspecified, and the state is that of before the step.
 *
 * <p><b>Threads.</b> Any. The arithmetic runs on threads of this module's own.
 *
 * <p><b>Source.</b> Vogels, Karimireddy, Jaggi, <em>PowerSGD</em>, 2019, algorithms 1 and 2; torch's powerSGD_hook.
 */
public final class PowerSgd implements BucketReducer, AutoCloseable {

    private final PowerSgdOptions options;
    private final String label;
    private final CompressionState state;

    private PowerSgd(PowerSgdOptions options) {
        this.options = options;
        this.label = options.label();
        this.state = new CompressionState(true, new double[0]);
    }

    /** {@return one with a state of its own} */
    public static PowerSgd of(PowerSgdOptions options) {
        return new PowerSgd(
                Objects.requireNonNull(options, "PowerSGD has no options; give some, such as PowerSgdOptions.DEFAULT"));
    }

    /** {@return the state of this rank} */
    public CompressionState state() {
        return state;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public @Nullable String refusal(DType type) {
        Objects.requireNonNull(type, "type");
        boolean isKnown = type == DType.FLOAT32 || type == DType.FLOAT16 || type == DType.BFLOAT16;
        return isKnown ? null : "it factors FLOAT16, BFLOAT16 and FLOAT32";
    }

    /**
     * Reduces a tensor in place, as a matrix of its first dimension and all others.
     *
     * <p>Steps meet as all calls of a view do, in the order in which they are assembled, whatever their names: names that come in other orders on other ranks take views of their own
     * ({@link ProcessGroup#named}). One at a time is under way for each name.
     *
     * @param name of the state, the same on all ranks
     * @return cold; each subscription is a step
     */
    public Mono<Compressed> allReduce(ProcessGroup group, String name, Tensor tensor, Reduction op) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(tensor, "tensor");
        Objects.requireNonNull(op, "op");
        List<Long> shape = Arrays.stream(tensor.shape()).boxed().toList();
        return NamedCall.of(
                group,
                name,
                tensor,
                shape.toString(),
                op,
                label,
                inside -> step(inside, name, List.of(shape), AbsentRanges.NONE, tensor, op));
    }

    @Override
    public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(bucket, "bucket");
        List<List<Long>> shapes =
                bucket.parameters().stream().map(each -> each.shape()).toList();
        return step(
                        group,
                        CompressionState.ofBucket(bucket.index()),
                        shapes,
                        AbsentRanges.of(bucket),
                        bucket.tensor(),
                        bucket.reduction())
                .then(Mono.empty());
    }

    @Override
    public void ended(List<Integer> buckets) {
        state.endStep(buckets);
    }

    private Mono<Compressed> step(
            ProcessGroup group,
            String name,
            List<List<Long>> shapes,
            AbsentRanges absent,
            Tensor tensor,
            Reduction op) {
        return Mono.defer(() -> {
            Weights.requireReducible(refusal(tensor.type()), tensor, op);
            LowRankPlan plan = LowRankPlan.of(shapes, options);
            return InHostMemory.replace(group, tensor, values -> {
                StateShape shape = new StateShape(
                        label + " of " + plan.label(),
                        values.type(),
                        values.count(),
                        group.size(),
                        group.rank(),
                        PowerSgdStep.Load.kept(plan, options));
                return state.step(
                        group, name, shape, StateHome.HOST, named -> step(group, named, plan, absent, values, op));
            });
        });
    }

    private Mono<Compressed> step(
            ProcessGroup group, NamedState named, LowRankPlan plan, AbsentRanges absent, Tensor values, Reduction op) {
        Generation now = named.latest();
        boolean isCompressed =
                now.step() >= options.startStep() && !plan.matrices().isEmpty();
        Mono<Void> reduced = isCompressed
                ? compressed(
                        new PowerSgdStep.Load(plan, options, group, values, op, now, named.next(), absent.isFinished()),
                        absent)
                : group.allReduce(values, op).then();
        return reduced.then(CodecThreads.on(group, () -> Mono.just(FiniteElements.only(values))))
                .map(isFinite -> {
                    named.ended(isFinite, now.adapted());
                    return new Compressed(now.step(), isCompressed, 0, isFinite);
                });
    }

    private static Mono<Void> compressed(PowerSgdStep.Load load, AbsentRanges absent) {
        List<Move> moves = PowerSgdStep.keep(load, absent::contains);
        Mono<Void> step = PowerSgdStep.run(load);
        return moves.isEmpty() ? step : step.then(CodecThreads.run(load.group(), () -> HostMoves.run(moves)));
    }

    /** Frees the memory of the state; a step that goes on ends first. Idempotent. */
    @Override
    public void close() {
        state.close();
    }
}
