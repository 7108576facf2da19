package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.InHostMemory;
import io.reactivecomm.compression.internal.call.OnDevice;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.compression.internal.call.Weights;
import io.reactivecomm.compression.internal.state.Generation;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.device.Move;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
 * <p>A codec in an all-reduce is the reduction: encoded elements cannot be added up, so it stands neither before nor behind buckets, but in them. Buckets that are given a gradient
 * which has been reduced by its name in front of them refuse it.
 *
 * <p><b>What comes out</b> has the same bits on all ranks, whatever the transport: sums are taken in rank order, in the type's accumulator. What encoding loses is kept and
 * added to the next step's elements ({@link CompressionState}).
 *
 * <p><b>One for each</b> set of gradient buckets: states are named by bucket.
 *
 * <p><b>Special values.</b> A NaN or an infinity on one rank makes the result of all ranks not finite: see {@link Compressed#isFinite}, and {@link CompressionState#nonFinite} for
 * buckets. The state does not advance, not even in a warm-up.
 *
 * <p><b>One composite call</b> is each all-reduce, of one small all-gather in which ranks compare their steps, of the route's calls, and on a device of
 * a barrier behind its end: a rank that fails in one is an error on all, and the next step is right.
 *
 * <p><b>Shapes.</b> FLOAT16, BFLOAT16, FLOAT32 and FLOAT64, any number of elements; SUM, AVG or {@link PreMulSum}. Of a group of one rank, too, elements are encoded and decoded.
 *
 * <p><b>Devices.</b> On a device whose kernels a codec has ({@link Codec#on}), all that it does and all calls are enqueued there one behind the other, and the host waits once, for the
 * end. Of others elements are moved to the host and back, and those of FLOAT64 always.
 *
 * <p><b>Errors.</b> Those of {@link ProcessGroup#allReduce}; {@link io.reactivecomm.compression.DecodingException} for bytes that no codec has written. After an error the tensor is
 * unspecified, and the state is that of before the step.
 *
 * <p><b>Faults of a device.</b> What the driver does not take fails the step on all ranks; if a call was to read what it writes, the group is over.
 *
 * <p><b>Cancelling.</b> A step that is cancelled goes on where threads or a device are at its tensor: until that is {@linkplain Tensor#released() released} the state of its name is taken.
 *
 * <p><b>Threads.</b> Any. Elements are encoded and decoded on threads of this module's own.
 *
 * <p><b>Source.</b> Tang et al., 1-bit Adam, 2021; DeepSpeed's compressed_allreduce; Vogels et al. and Karimireddy et al. on error feedback, 2019.
 */
public final class CompressedAllReduce implements BucketReducer, AutoCloseable {

    private final CompressionOptions options;
    private final Masks masks;
    private final String label;
    private final CompressionState state;

    private CompressedAllReduce(CompressionOptions options) {
        this.options = options;
        this.masks = new Masks(options.masks());
        this.label = options.label();
        this.state = new CompressionState(options.feedsBack(), options.codec().adapted());
    }

    /** {@return one with a state of its own} */
    public static CompressedAllReduce of(CompressionOptions options) {
        return new CompressedAllReduce(Objects.requireNonNull(
                options, "a compressed all-reduce has no options; give some, such as those inTwoSteps"));
    }

    /** {@return the state of this rank} */
    public CompressionState state() {
        return state;
    }

    /** {@return what it was made with} An optimizer reads the length of the warm-up there. */
    public CompressionOptions options() {
        return options;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public @Nullable String refusal(DType type) {
        Objects.requireNonNull(type, "type");
        return Weights.refusal(type);
    }

    /**
     * Reduces a tensor in place.
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
        return NamedCall.of(
                group,
                name,
                tensor,
                " × " + tensor.count(),
                op,
                label,
                inside -> step(
                        inside,
                        name,
                        List.of(new Parameter(name, tensor.type(), tensor.count())),
                        AbsentRanges.NONE,
                        tensor,
                        op));
    }

    @Override
    public boolean isOrderedByDevices() {
        return true;
    }

    @Override
    public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(bucket, "bucket");
        return step(
                        group,
                        CompressionState.ofBucket(bucket.index()),
                        bucket.parameters(),
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
            List<Parameter> parameters,
            AbsentRanges absent,
            Tensor tensor,
            Reduction op) {
        return Mono.defer(() -> {
            Weights.requireReducible(refusal(tensor.type()), tensor, op);
            Optional<OnDevice> onDevice = OnDevice.of(options.codec(), group, tensor);
            return onDevice.isPresent()
                    ? onDevice.get()
                            .replace(() -> masked(
                                    parameters,
                                    tensor,
                                    group,
                                    step(EncodingPlace.on(onDevice.get(), group), name, absent, tensor, op)))
                    : InHostMemory.replace(
                            group,
                            tensor,
                            host -> masked(
                                    parameters,
                                    host,
                                    group,
                                    step(EncodingPlace.onHost(options.codec(), group, host), name, absent, host, op)));
        });
    }

    private Mono<Compressed> masked(
            List<Parameter> parameters, Tensor values, ProcessGroup group, Mono<Compressed> step) {
        List<Move> zeros =
                masks.zeros(parameters, values).stream().map(Move::zeros).toList();
        return zeros.isEmpty()
                ? step
                : step.flatMap(
                        done -> CodecThreads.run(group, () -> group.move(zeros)).thenReturn(done));
    }

    private Mono<Compressed> step(EncodingPlace place, String name, AbsentRanges absent, Tensor values, Reduction op) {
        ProcessGroup group = place.group();
        RankParts parts = new RankParts(values.count(), group.size());
        StateShape shape = new StateShape(
                label,
                values.type(),
                values.count(),
                group.size(),
                group.rank(),
                Passage.kept(options.route(), parts, values.type()));
        return state.step(group, name, shape, place.home(values), named -> step(place, named, absent, values, op));
    }

    private Mono<Compressed> step(
            EncodingPlace place, NamedState named, AbsentRanges absent, Tensor values, Reduction op) {
        ProcessGroup group = place.calls();
        long step = named.latest().step();
        if (step < options.warmUpSteps()) {
            // What has failed to put them there would be added up: nothing else asks for it.
            return OnDevice.reached(values)
                    .then(place.group().allReduce(values, op))
                    .then(CodecThreads.on(place.group(), place.end()))
                    .map(isFinite -> ended(
                            named,
                            new Compressed(step, false, 0, isFinite),
                            named.latest().adapted()));
        }
        Generation now = named.latest();
        if (values.count() == 0) {
            return Mono.fromSupplier(() -> ended(named, new Compressed(step, true, 0), now.adapted()));
        }
        return StepMemory.with(memory -> {
            Codec codec = place.codec().adaptedAs(now.adapted());
            Generation next = named.next();
            RankParts parts = new RankParts(values.count(), group.size());
            Passage passage = passage(
                    new Passage.Load(
                            parts,
                            group,
                            codec,
                            values,
                            Weights.of(op, group.size(), values.type()),
                            now,
                            next,
                            absent.isFinished()),
                    memory);
            return passage.run()
                    .flatMap(bytes -> keep(absent, place, parts, now, next).thenReturn(bytes))
                    .flatMap(bytes -> CodecThreads.guarded(place.end())
                            .map(isFinite -> ended(
                                    named,
                                    new Compressed(step, true, bytes, isFinite),
                                    passage.adapted().adapted())));
        });
    }

    private static Mono<Void> keep(
            AbsentRanges absent, EncodingPlace place, RankParts parts, Generation now, Generation next) {
        if (absent.areNone()) {
            return Mono.empty();
        }
        ProcessGroup group = place.group();
        List<Move> moves = new ArrayList<>(absent.keepOwn(now.kept(0), next.kept(0)));
        moves.addAll(absent.keep(now.kept(1), next.kept(1), group.rank() * parts.part()));
        return moves.isEmpty() ? Mono.empty() : CodecThreads.run(group, () -> group.move(moves));
    }

    private static Compressed ended(NamedState named, Compressed facts, double[] adapted) {
        named.ended(facts.isFinite(), adapted);
        return facts;
    }

    private Passage passage(Passage.Load load, StepMemory memory) {
        return switch (options.route()) {
            case TWO_STEPS -> new TwoSteps(load, options.exchange(), memory);
            case GATHER -> new Gathering(load, memory);
        };
    }

    /** Frees the memory of the state; a step that goes on ends first. Idempotent. */
    @Override
    public void close() {
        state.close();
    }
}
