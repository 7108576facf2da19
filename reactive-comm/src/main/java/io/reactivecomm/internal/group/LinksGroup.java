package io.reactivecomm.internal.group;

import io.reactivecomm.Bits;
import io.reactivecomm.CoalesceScope;
import io.reactivecomm.CommSwitches;
import io.reactivecomm.CompositeCall;
import io.reactivecomm.CompositeView;
import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.EngineUse;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Located;
import io.reactivecomm.LogRank;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.Operation;
import io.reactivecomm.Part;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Switched;
import io.reactivecomm.Tensor;
import io.reactivecomm.Traffic;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.MonitoredBarrier;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.ReduceScatter;
import io.reactivecomm.collective.Send;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.KernelQueue;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.composite.Conversation;
import io.reactivecomm.internal.composite.Conversations;
import io.reactivecomm.internal.composite.JsonCodec;
import io.reactivecomm.internal.composite.ObjectExchange;
import io.reactivecomm.internal.composite.SparseAllReduce;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.internal.stream.Batch;
import io.reactivecomm.internal.switches.Switches;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.link.FrameCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A process group over links: checks a call once, gives it its identity, and hands it to the engine when it is subscribed to.
 *
 * <p>A view differs from its group in the name, deadline and algorithm of its calls. The file is long because a group has many operations;
 * each is one line. <b>Threads.</b> Any.
 */
final class LinksGroup extends Calling<Mono<Work>>
        implements ProcessGroup, Located, LogRank.Bearer, Conversations, CompositeView, Switched, Switches.Bearer {

    private final Assembler assembler;
    /** The run of a composite call that this is a view within, or null. */
    private final @Nullable CompositeRun run;

    private final CallOptions options;
    private final boolean isView;

    LinksGroup(Assembler assembler, CallOptions options) {
        this(assembler, null, options, false);
    }

    /** A view. */
    private LinksGroup(Assembler assembler, @Nullable CompositeRun run, CallOptions options) {
        this(assembler, run, options, true);
    }

    private LinksGroup(Assembler assembler, @Nullable CompositeRun run, CallOptions options, boolean isView) {
        this.assembler = assembler;
        this.run = run;
        this.options = options;
        this.isView = isView;
    }

    /** {@return ends of messages that are counted in its place, for as long as that lives} */
    int countedEnds() {
        return assembler.place().messages().size();
    }

    private LinksGroup view(CallOptions other) {
        return new LinksGroup(assembler, run, other);
    }

    private GroupTraits traits() {
        return assembler.traits();
    }

    private GroupState group() {
        return assembler.group();
    }

    @Override
    public int rank() {
        return group().rank();
    }

    @Override
    public int size() {
        return group().size();
    }

    @Override
    public int globalRank(int rank) {
        return group().worldRanks().get(rank);
    }

    @Override
    public List<Integer> ranks() {
        return group().worldRanks();
    }

    @Override
    public int groupRank(int globalRank) {
        return ranks().indexOf(globalRank);
    }

    @Override
    public int localRank() {
        return traits().place().localRank();
    }

    @Override
    public int localSize() {
        return traits().place().localSize();
    }

    @Override
    public int hostRank() {
        return traits().place().hostRank();
    }

    @Override
    public int hostCount() {
        return traits().place().hostCount();
    }

    @Override
    public String backend(Device device) {
        Objects.requireNonNull(
                device,
                () -> "a group is asked for the engine of no device: group=" + this + "; give one, such as Device.CPU");
        return traits().backends().name(device);
    }

    @Override
    public List<EngineUse> engines() {
        return traits().backends().uses();
    }

    @Override
    public boolean hasMembersOf(ProcessGroup other) {
        boolean isElsewhere = other instanceof LinksGroup links && links.assembler.driver() != assembler.driver();
        return !isElsewhere && ProcessGroup.super.hasMembersOf(other);
    }

    @Override
    public int generation() {
        return group().generation();
    }

    @Override
    public Mono<Work> coalesce(Consumer<? super CoalesceScope> calls) {
        LinksGroup kept = kept();
        return kept.call(() -> kept.switchesNow().kept(Scope.of(calls, group())));
    }

    @Override
    public Disposable observe(CommObserver observer) {
        Objects.requireNonNull(observer, () -> "a group got no observer: group=" + this + "; give one");
        return group().observers().add(observer);
    }

    @Override
    public ProcessGroup observedBy(CommObserver observer) {
        Objects.requireNonNull(observer, () -> "a view got no observer: group=" + this + "; give one");
        return view(options.withObservers(Observers.ofView(options.observers(), observer)));
    }

    @Override
    public LogRank logRank() {
        return assembler.driver().logRank();
    }

    @Override
    public Mono<Path> dump(Path file) {
        Objects.requireNonNull(file, () -> "a dump has no file: group=" + this + "; give a path");
        return assembler.driver().dump(file);
    }

    @Override
    public Traffic traffic() {
        return assembler.driver().traffic(group());
    }

    @Override
    public Tensor allocate(DType type, long... shape) {
        return allocate(Device.CPU, type, shape);
    }

    @Override
    public Tensor allocate(Device device, DType type, long... shape) {
        Objects.requireNonNull(
                type,
                () -> "a tensor is to have no type: device=" + device + "; give its elements', such as DType.FLOAT32");
        Objects.requireNonNull(
                shape,
                () -> "a tensor is to have no shape: device=" + device + ", type=" + type + "; give its dimensions");
        return traits().memories().allocate(device, type, shape);
    }

    @Override
    public Handle move(List<Move> moves) {
        return traits().memories().move(moves);
    }

    @Override
    public Optional<KernelQueue> kernels(Device device) {
        Objects.requireNonNull(device, "kernels are to run on no device; give one, such as that of a tensor");
        return traits().memories().kernels(device);
    }

    @Override
    public Mono<SparseTensor> sparseAllReduce(SparseTensor tensor, Reduction op) {
        Switches now = switchesNow();
        if (now.isOff(Operation.ALL_REDUCE)) {
            CallOptions whole = options.ofParts().withSwitches(now.whole());
            return SparseAllReduce.of(new LoneConversation.Beginning(assembler, whole), this, tensor, op);
        }
        return SparseAllReduce.of(this, this, tensor, op);
    }

    @Override
    public Flux<Part> allGatherParts(Tensor input, List<Tensor> outputs) {
        return parts(() -> new AllGather(input, outputs));
    }

    @Override
    public Flux<Part> reduceScatterParts(List<Tensor> inputs, Tensor output, Reduction op) {
        return parts(() -> new ReduceScatter(inputs, output, op));
    }

    @Override
    public Mono<Work> barrier() {
        return call(Barrier::new);
    }

    @Override
    public Mono<Work> monitoredBarrier(Duration timeout, boolean waitAllRanks) {
        return view(options.withDeadline(positive(timeout))).call(() -> new MonitoredBarrier(waitAllRanks));
    }

    @Override
    public Mono<Work> send(Tensor tensor, int peer, int tag) {
        Checked checked = checked(() -> new Send(tensor, peer, tag));
        return new CallMono(assembler.driver(), assembler.composite(), assembler.send(peer, tag, options, checked));
    }

    @Override
    public Mono<Work> receive(Tensor tensor, int peer, int tag) {
        Checked checked = checked(() -> new Receive(tensor, peer, tag));
        return new CallMono(assembler.driver(), assembler.composite(), assembler.receive(peer, tag, options, checked));
    }

    @Override
    Mono<Work> call(Supplier<Collective> call) {
        return new CallMono(assembler.driver(), assembler.composite(), assembler.collective(options, checked(call)));
    }

    private Checked checked(Supplier<? extends Collective> call) {
        return assembler.checked(call);
    }

    private Flux<Part> parts(Supplier<Collective> call) {
        Checked checked = checked(call);
        Collective sound = checked.collective();
        Supplier<Landing> landing = () -> sound == null ? Landing.NOTHING : Landing.of(sound, rank(), size());
        return new PartsFlux(assembler.driver(), assembler.collective(options.withEnqueued(false), checked), landing);
    }

    @Override
    public Mono<List<Work>> batch(List<? extends Mono<Work>> calls) {
        return Batch.of(calls, assembler.driver().answers());
    }

    @Override
    public Flux<Tensor> sendAll(Publisher<? extends Tensor> tensors, int peer, int tag) {
        return assembler
                .streams()
                .sendAll(completing(), options.name(), tensors, peer, tag, assembler.witness(options));
    }

    @Override
    public Flux<Tensor> receiveAll(int peer, int tag) {
        return assembler.streams().receiveAll(completing(), options.name(), peer, tag, assembler.witness(options));
    }

    private ObjectExchange objects() {
        return new ObjectExchange(this, traits().objectBytes());
    }

    @Override
    public <T> Mono<List<T>> allGatherObject(T value, Class<T> type) {
        return objects().allGather(value, codec(type));
    }

    @Override
    public <T> Mono<List<T>> allGatherObject(T value, ObjectCodec<T> codec) {
        return objects().allGather(value, codec);
    }

    @Override
    public <T> Mono<T> broadcastObject(@Nullable T value, int root, Class<T> type) {
        return objects().broadcast(value, root, codec(type));
    }

    @Override
    public <T> Mono<T> broadcastObject(@Nullable T value, int root, ObjectCodec<T> codec) {
        return objects().broadcast(value, root, codec);
    }

    @Override
    public <T> Mono<List<T>> gatherObject(T value, int root, Class<T> type) {
        return objects().gather(value, root, codec(type));
    }

    @Override
    public <T> Mono<List<T>> gatherObject(T value, int root, ObjectCodec<T> codec) {
        return objects().gather(value, root, codec);
    }

    @Override
    public <T> Mono<T> scatterObject(List<T> values, int root, Class<T> type) {
        return objects().scatter(values, root, codec(type));
    }

    @Override
    public <T> Mono<T> scatterObject(List<T> values, int root, ObjectCodec<T> codec) {
        return objects().scatter(values, root, codec);
    }

    @Override
    public <T> Mono<T> reduceObject(T value, int root, BinaryOperator<T> op, Class<T> type) {
        return objects().reduce(value, root, op, codec(type));
    }

    @Override
    public <T> Mono<T> reduceObject(T value, int root, BinaryOperator<T> op, ObjectCodec<T> codec) {
        return objects().reduce(value, root, op, codec);
    }

    /** {@return the codec of a type; null for none, which the call is refused for on all ranks} */
    private static <T> @Nullable ObjectCodec<T> codec(@Nullable Class<T> type) {
        if (type == null) {
            return null;
        }
        return new JsonCodec<>(type);
    }

    @Override
    public <T> Mono<T> converse(String operation, Function<Conversation, Mono<T>> talk) {
        return GroupConversation.of(assembler, options.ofParts(), operation, talk::apply);
    }

    @Override
    public CompositeCall composite(String operation) {
        Objects.requireNonNull(
                operation, "a composite call has no operation; give what ranks are to compare, such as a name");
        Composite outer = assembler.composite();
        if (outer != null && outer.enclosure().depth() == Enclosure.MOST_DEEP) {
            throw new IllegalStateException("composite calls are too deep in one another: operation=" + operation
                    + ", most=" + Enclosure.MOST_DEEP + "; make some of them one after the other");
        }
        return new CompositeAssembly(
                new CompositePlan(assembler, options.withEnqueued(false), operation),
                begun -> new LinksGroup(begun.assembler(), begun, begun.options()));
    }

    @Override
    public ProcessGroup within(ProcessGroup group) {
        if (run == null) {
            throw new IllegalStateException("this is no view that a composite call's body was given: group=" + this
                    + "; call within(…) of the view in the body");
        }
        if (!(group instanceof LinksGroup other) || other.assembler.driver() != assembler.driver()) {
            throw new IllegalArgumentException("a composite call got a group of another world: group=" + group
                    + "; call through groups of its own world");
        }
        run.requireMembers(group);
        return new LinksGroup(run.assembler(other.assembler), run, other.options.within(options));
    }

    @Override
    public void noFurtherCalls() {
        if (run != null) {
            run.leave();
        }
    }

    @Override
    public Mono<Void> callsEnded() {
        return run == null ? Mono.empty() : run.callsEnded();
    }

    @Override
    public Runnable claim(String operation, String name, List<Tensor> reads, List<Tensor> writes) {
        return run == null ? () -> {} : RunClaim.of(run, operation, name, reads, writes);
    }

    private GroupForming forming() {
        CallOptions ofChild = options.ofParts()
                .withName("")
                .withSite(CallSite.NONE)
                .withObservers(null)
                .withSwitches(null);
        return new GroupForming(assembler, options.ofParts(), child -> new LinksGroup(assembler.of(child), ofChild));
    }

    @Override
    public Mono<ProcessGroup> newGroup(int... ranks) {
        return forming().newGroup(ranks);
    }

    @Override
    public Mono<ProcessGroup> split(int color, int key) {
        return forming().split(color, key);
    }

    @Override
    public Mono<ProcessGroup> splitByHost() {
        return forming().splitByHost(Objects.requireNonNull(traits().place().hostId(), "a rank has no host"));
    }

    @Override
    public Mono<GroupMesh> mesh(Dimension... dimensions) {
        return forming().mesh(dimensions);
    }

    @Override
    public boolean supports(Operation operation, DType type, @Nullable Reduction op, Device device) {
        Objects.requireNonNull(operation, "operation");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(device, "device");
        if (operation.reduces() && op == null) {
            return Arrays.stream(ReduceOp.values()).anyMatch(each -> supports(operation, type, each, device));
        }
        return traits().backends()
                .supports(new CallKind(operation, type, operation.reduces() ? op : null, true), device, group());
    }

    @Override
    public ProcessGroup numbered(long number) {
        if (run != null) {
            throw new IllegalStateException("a composite call counts its calls itself: number=" + number + ", group="
                    + this + "; make the composite call in the numbered scope, and calls through the view in its body");
        }
        return new LinksGroup(assembler.step(number), null, options);
    }

    @Override
    public ProcessGroup named(String name) {
        Objects.requireNonNull(name, "a view got no name; give one, or an empty one for the group's own");
        int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > FrameCodec.MAX_NAME_BYTES) {
            throw new IllegalArgumentException("a name is too long: bytes=" + lengthBytes + "; give at most "
                    + FrameCodec.MAX_NAME_BYTES + " bytes of UTF-8");
        }
        return view(options.withName(name));
    }

    @Override
    public ProcessGroup here() {
        return assembler.place().wantsSites(options) ? view(options.withSite(CallSite.here())) : this;
    }

    @Override
    public ProcessGroup timeout(Duration deadline) {
        return view(options.withDeadline(positive(deadline)));
    }

    @Override
    public Duration timeout() {
        return options.deadline();
    }

    private static Duration positive(Duration deadline) {
        Objects.requireNonNull(deadline, "a view got no deadline; give a positive duration");
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "a deadline is not positive: deadline=" + deadline + "; give a positive duration");
        }
        return deadline;
    }

    @Override
    public ProcessGroup algorithm(String algorithm) {
        Objects.requireNonNull(
                algorithm, "a view got no algorithm; give its name, or an empty one for whichever is fastest");
        return view(options.withAlgorithm(algorithm));
    }

    @Override
    public ProcessGroup bits(Bits bits) {
        return view(options.withBits(Objects.requireNonNull(bits, "a view got no bits; give one of Bits")));
    }

    @Override
    public ProcessGroup enqueued() {
        return view(options.withEnqueued(true));
    }

    /** {@return a view whose calls end with their result, for what needs that, and come from where this is called} */
    private LinksGroup completing() {
        return view(options.withEnqueued(false).withSite(assembler.site(options)));
    }

    @Override
    public Switches switchesNow() {
        return assembler.switches(options);
    }

    @Override
    public boolean isOff(Operation operation) {
        return switchesNow().isOff(operation);
    }

    @Override
    public ProcessGroup switched(Set<Operation> off) {
        return view(options.withSwitches(switchesNow().applying(off)));
    }

    @Override
    public LinksGroup kept() {
        return view(options.withSwitches(switchesNow()));
    }

    @Override
    public ProcessGroup whole() {
        return view(options.withSwitches(switchesNow().whole()));
    }

    @Override
    public CommSwitches switches() {
        if (isView || !group().isWorld()) {
            throw new InvalidCallException("operations can be switched through the world's own group only: group="
                    + this + (isView ? ", which is a view" : ", ranks=" + ranks()) + "; give what connect() returned");
        }
        return new GroupSwitches(assembler, options);
    }

    @Override
    public ProcessGroup priority(int priority) {
        return view(options.withPriority(priority));
    }

    @Override
    public int priority() {
        return options.priority();
    }

    @Override
    public Mono<Void> ended() {
        return assembler.end();
    }

    @Override
    public void abort(String reason) {
        assembler.driver().abort(group(), reason);
    }

    @Override
    public void close() {
        try {
            traits().backends().close(group());
        } finally {
            assembler.driver().close(group());
        }
    }

    @Override
    public String toString() {
        return "ProcessGroup[rank=" + rank() + ", size=" + size()
                + (options.name().isEmpty() ? "" : ", name=" + options.name()) + "]";
    }
}
