package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Move;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.bucket.BucketReducer;
import io.reactivecomm.compression.Codec;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An all-reduce whose elements travel encoded, with error feedback: in gradient buckets, or of any tensor by a name.
 *
 * <pre>{@code
 * CompressedAllReduce oneBit = CompressedAllReduce.of(CompressionOptions.inTwoSteps(new OneBit()));
 * GradientBuckets buckets = GradientBuckets.of(group, BucketOptions.DEFAULT.withReducer(oneBit));        // a state for each bucket
 * oneBit.allReduce(group, "momentum", momentum, ReduceOp.AVG).subscribe();                                // or by itself
 * }</pre>
 *
 * <p>A codec in an all-reduce is the reduction: encoded elements cannot be added up, so it stands neither before nor behind buckets, but in them.
 *
 * <p><b>What comes out</b> has the same bits on all ranks, whatever the transport: sums are taken in rank order, in the type's accumulator. What encoding loses is kept and
 * added to the next step's elements ({@link CompressionState}).
 *
 * <p><b>One composite call</b> is each all-reduce, of one small all-gather in which ranks compare their steps, and of the route's calls: a rank that fails in one is an error on
 * all, and the next step is right.
 *
 * <p><b>Shapes.</b> FLOAT16, BFLOAT16, FLOAT32 and FLOAT64, any number of elements; SUM, AVG or {@link PreMulSum}. Of a group of one rank, too, elements are encoded and decoded.
 *
 * <p><b>Devices.</b> Codecs run on the host: elements of a device are moved there and back.
 *
 * <p><b>Errors.</b> Those of {@link ProcessGroup#allReduce}; {@link io.reactivecomm.compression.DecodingException} for bytes that no codec has written. After an error the tensor is
 * unspecified, and the state is that of before the step.
 *
 * <p><b>Threads.</b> Any. Elements are encoded and decoded on threads of this module's own.
 *
 * <p><b>Source.</b> Tang et al., 1-bit Adam, 2021; DeepSpeed's compressed_allreduce; Vogels et al. and Karimireddy et al. on error feedback, 2019.
 */
public final class CompressedAllReduce implements BucketReducer, AutoCloseable {

    private final CompressionOptions options;
    private final CompressionState state;

    private CompressedAllReduce(CompressionOptions options) {
        this.options = options;
        this.state = new CompressionState(options);
    }

    /** {@return one with a state of its own} */
    public static CompressedAllReduce of(CompressionOptions options) {
        return new CompressedAllReduce(Objects.requireNonNull(options, "a compressed all-reduce has no options; give some, such as those inTwoSteps"));
    }

    /** {@return the state of this rank} */
    public CompressionState state() {
        return state;
    }

    @Override
    public String label() {
        return options.label();
    }

    @Override
    public @Nullable String refusal(DType type) {
        return type.family() == DType.Family.FLOAT && type.byteSize() > 1 ? null : "it encodes FLOAT16, BFLOAT16, FLOAT32 and FLOAT64";
    }

    /**
     * Reduces a tensor in place.
     *
     * <p>The n-th step of a name on one rank meets the n-th on the others. One at a time is under way for each name.
     *
     * @param name of the state, the same on all ranks
     * @return cold; each subscription is a step
     */
    public Mono<Compressed> allReduce(ProcessGroup group, String name, Tensor tensor, Reduction op) {
        Objects.requireNonNull(name, "a compressed all-reduce has no name; give one, the same on all ranks");
        String operation = "compressed all-reduce(" + name + ", " + tensor.type() + " × " + tensor.count() + ", " + op.label() + ", " + label() + ")";
        return Lasting.composite(group.composite(operation).borrowing(List.of(tensor)).waitingOnly(), inside -> step(inside, name, tensor, op));
    }

    @Override
    public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
        return step(group, "bucket " + bucket.index(), bucket.tensor(), bucket.reduction()).then(Mono.empty());
    }

    private Mono<Compressed> step(ProcessGroup group, String name, Tensor tensor, Reduction op) {
        return Mono.defer(() -> {
            requireReducible(tensor, op);
            if (tensor.device().equals(Device.CPU)) {
                return onHost(group, name, tensor, op);
            }
            Tensor host = group.allocate(tensor.type(), tensor.count());
            return group.move(List.of(Move.copy(tensor, host))).completed()
                    .then(onHost(group, name, host, op))
                    .flatMap(done -> group.move(List.of(Move.copy(host, tensor))).completed().thenReturn(done))
                    .doFinally(end -> host.close());
        });
    }

    private void requireReducible(Tensor tensor, Reduction op) {
        String why = refusal(tensor.type());
        boolean isSum = op == ReduceOp.SUM || op == ReduceOp.AVG || op instanceof PreMulSum;
        if (why != null || !isSum) {
            throw new InvalidCallException("a tensor cannot be reduced so: tensor=" + tensor + ", reduction=" + op.label() + ", why="
                    + (why == null ? "encoded elements are added up" : why) + "; give floating-point elements, and SUM, AVG or a PreMulSum");
        }
    }

    private Mono<Compressed> onHost(ProcessGroup group, String name, Tensor values, Reduction op) {
        return Mono.defer(() -> {
            StateShape shape = new StateShape(label(), values.type(), values.count(), group.size(), group.rank());
            NamedState named = state.take(name, shape);
            return StepAgreement.on(name, named, group)
                    .then(Mono.defer(() -> step(group, named, values, op)))
                    .doFinally(end -> state.giveBack(named));
        });
    }

    private Mono<Compressed> step(ProcessGroup group, NamedState named, Tensor values, Reduction op) {
        long step = named.latest().step();
        if (step < options.warmUpSteps()) {
            return group.allReduce(values, op).map(work -> {
                named.wentWell(named.latest().codec());
                return new Compressed(step, false, 0);
            });
        }
        if (values.count() == 0) {
            return Mono.fromSupplier(() -> ended(named, step, named.latest().codec(), 0));
        }
        Generation now = named.latest();
        Passage passage = passage(new Passage.Load(named.shape(), group, values, weight(op, group.size(), values.type()), now, named.next()));
        return passage.run().map(bytes -> ended(named, step, passage.adapted(), bytes));
    }

    private static Compressed ended(NamedState named, long step, Codec adapted, long bytes) {
        named.wentWell(adapted);
        return new Compressed(step, true, bytes);
    }

    private Passage passage(Passage.Load load) {
        return switch (options.route()) {
            case TWO_STEPS -> new TwoSteps(load, options.exchange());
            case GATHER -> new Gathering(load);
        };
    }

    /** {@return what each rank's elements are multiplied by, a number of the accumulator's} */
    private static double weight(Reduction op, int ranks, DType type) {
        double weight = op instanceof PreMulSum scaled ? scaled.factor() : op == ReduceOp.AVG ? 1.0 / ranks : 1;
        return type.accumulator() == DType.FLOAT64 ? weight : (float) weight;
    }

    /** Frees the memory of the state; a step that goes on ends first. Idempotent. */
    @Override
    public void close() {
        state.close();
    }
}
