package io.reactivecomm;

import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.KernelQueue;
import io.reactivecomm.device.Move;
import io.reactivecomm.observe.CommObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The ranks that communicate, and the calls they make together.
 *
 * <p>Every call is a cold {@link Mono}: nothing happens before subscription. What identifies it is fixed when it is <em>assembled</em>:
 * each name of the group (the empty one by default) counts its calls, so ranks that assemble the same calls in the same order, name by
 * name, may subscribe to them in any order and from any thread. Where assembly order depends on timing, give the calls names with
 * {@link #named}. The n-th subscription of one Mono is a call of its own, matched with the n-th subscription on the other ranks.
 *
 * <p><b>Subscription and cancellation.</b> Cancelling detaches the subscriber; the call runs on, because the other ranks count on it.
 * {@link Tensor#released()} tells when it has let go of its tensors.
 *
 * <p><b>Buffers.</b> A call borrows its tensors from subscription to its terminal signal and touches them neither before nor after. On engines whose
 * library cannot be stopped a call that fails may end before that: {@link Tensor#released()} tells. After an error the content of an output tensor is
 * unspecified. If two calls in flight on one rank share memory that one of them writes, the second fails with an {@link InvalidCallException} that names
 * both. Calls that only read may overlap. Neither cancellation nor {@code Mono.timeout} ends the first call. Calls that one engine orders on a device are
 * exempt. Two {@linkplain Tensor#wrap wraps} of one address are not compared.
 *
 * <p><b>Threads.</b> All methods may be called from any thread. Signals come on the group's event loop, a
 * {@link reactor.core.scheduler.NonBlocking} thread where {@code block()} fails at once: use
 * {@link Mono#publishOn(reactor.core.scheduler.Scheduler)} before heavy work.
 *
 * <p><b>Errors.</b> A Mono ends with a value or a {@link CommException} within its deadline:
 * {@link InvalidCallException} for this rank's own or another rank's wrong arguments, {@link UnsupportedCollectiveException},
 * {@link MismatchException} where ranks issued different calls, {@link CommTimeoutException}, {@link PeerLostException},
 * {@link GroupClosedException}. When one rank fails a call, every rank whose call is unfinished fails with the same cause; a rank that has
 * finished keeps its result. A retry is therefore a new call that all ranks agree on, never a local {@code retry()}.
 *
 * <p><b>Drift.</b> A call has its place in its name's count from when it is assembled. Where one is assembled once another has completed, as in
 * {@code allToAll(…).flatMap(work -> allReduce(…))}, and user code throws in between on one rank only, that rank never assembles the second: its
 * count stays behind for good, and its later calls meet others' calls of another number. Different calls are then a {@link MismatchException};
 * calls of the same shape give wrong results <em>without an error</em>. Calls that depend on each other are therefore made as one
 * {@link #composite composite call}, which fails on all ranks and shifts no other; or the program counts its {@link #numbered scopes}, each with counters
 * of its own. A rank that has drifted all the same {@link #abort aborts} or closes the group before it makes another call of that name.
 *
 * <p><b>Bits.</b> On the links engine every rank gets the same bits and so do two runs: elements are folded from the left in
 * group-rank order, one rounding a step; 16-bit floating point accumulates in FLOAT32 and rounds once.
 */
public interface ProcessGroup extends Collectives<Mono<Work>>, AutoCloseable {

    /** In {@link #receive}: take the message of whichever rank sends first. */
    int ANY = -1;

    /** {@return this process's place in the group, from 0} */
    int rank();

    /** {@return the number of ranks in the group} */
    int size();

    /**
     * {@return the place in the world of a rank of this group}
     *
     * @throws IndexOutOfBoundsException if the group has no such rank
     */
    int globalRank(int rank);

    /** {@return the world ranks of the members, in group order} */
    List<Integer> ranks();

    /** {@return the place in this group of a rank of the world; −1 if it is no member} */
    int groupRank(int globalRank);

    /**
     * {@return this process's place among the processes of its host, from 0}
     *
     * <p>This and {@link #localSize}, {@link #hostRank} and {@link #hostCount} describe the process in its world. They are the same on every group and
     * view of the world. For the members of a subgroup on this host make a group of them by {@link #splitByHost}.
     *
     * <p>The launcher's variables give the numbers where it sets them: LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK and GROUP_WORLD_SIZE as torchrun does,
     * or its own that stand for these. Otherwise, where the program gives the configuration, and where RCOMM_HOST_ID names the hosts, they follow from the
     * hosts of the world's ranks. Then ranks count on their host, and hosts count by their first rank, in the order of ranks. Hosts may have different
     * numbers of ranks, in any order.
     */
    int localRank();

    /** {@return the number of processes of the world on this process's host, as {@link #localRank} counts them} */
    int localSize();

    /** {@return the place of this process's host among the hosts of the world, from 0, as {@link #localRank} counts them} */
    int hostRank();

    /** {@return the number of hosts of the world, as {@link #localRank} counts them} */
    int hostCount();

    /**
     * {@return the name of the engine that is chosen for tensors of a device, as {@link Work#backend()} shows it; empty if none is}
     * Calls with tensors of the host that this engine refuses go to {@code links}; {@link Work#backend()} says so.
     */
    String backend(Device device);

    /**
     * {@return the engines on this process's class path, what each is chosen for in this group, and why}
     * The one over links comes first, the others by name. All groups of a world have the same.
     */
    List<EngineUse> engines();

    /** {@return whether the same ranks of the same world are in another group, in whatever order} */
    default boolean hasMembersOf(ProcessGroup other) {
        Objects.requireNonNull(other, "other");
        return Set.copyOf(ranks()).equals(Set.copyOf(other.ranks()));
    }

    /** {@return how often this group has been recovered; 0 for a new one} */
    int generation();

    /** Allocates a zeroed tensor in the memory that suits this group's engine best. */
    Tensor allocate(DType type, long... shape);

    /**
     * Allocates a zeroed tensor in a device's memory, which an engine of the group offers; for {@link Device#CPU}, as
     * {@link #allocate(DType, long...)} does.
     *
     * @throws UnsupportedCollectiveException if no engine has memory of such devices
     * @throws InvalidCallException if there is no device of that index
     * @throws IllegalArgumentException if a dimension is negative or the size overflows
     */
    Tensor allocate(Device device, DType type, long... shape);

    /**
     * Moves elements within this rank: between the host's memory and a device's, or within either. Nothing is said to other ranks.
     *
     * <pre>{@code
     * Tensor weights = group.allocate(new Device("cuda", 0), DType.FLOAT32, 1024);
     * group.move(List.of(Move.copy(Tensor.of(values), weights)));                   // enqueued: what follows on that tensor waits for it there
     * group.allReduce(weights, ReduceOp.SUM).block();
     * }</pre>
     *
     * <p>Moves within the host's memory are done by the caller's thread before this returns. Those from, to or within a device's are enqueued there, behind
     * whatever was enqueued before on the same tensors ({@link DeviceMemory}); the host waits for the handle before it touches its own tensors among
     * them. The moves of a list may be done at the same time: none writes what another reads or writes.
     *
     * <p><b>Buffers.</b> Tensors of moves that are enqueued are borrowed until the handle has completed.
     *
     * @return the end of all of them
     * @throws InvalidCallException if a tensor is closed, or a move is between devices of two kinds
     * @throws UnsupportedCollectiveException if no engine of the group has the memory of a device
     */
    Handle move(List<Move> moves);

    /**
     * {@return where kernels for a device are enqueued; empty if its engine runs none}
     *
     * @throws UnsupportedCollectiveException if no engine of the group has the memory of such devices
     */
    default Optional<KernelQueue> kernels(Device device) {
        return Optional.empty();
    }

    /**
     * As {@link #allGather(Tensor, List)}, telling of each rank's part as it lands.
     *
     * <p><b>Demand.</b> Parts that nobody has asked for wait, at most one for each rank. It completes after the last part. Cancelling
     * detaches the subscriber; the call runs on.
     *
     * <p><b>Buffers.</b> The tensors are borrowed until the terminal signal, also if parts wait for demand after the call has ended, or until the call has
     * ended and the subscriber has cancelled. Other calls may read a part once it is emitted.
     */
    Flux<Part> allGatherParts(Tensor input, List<Tensor> outputs);

    /**
     * As {@link #reduceScatter(List, Tensor, Reduction)}, telling of each run of elements of this rank's part as it is final, in order.
     *
     * <p><b>Demand.</b> Runs that nobody has asked for grow together into one. It completes after the last. Cancelling detaches the
     * subscriber; the call runs on.
     *
     * <p><b>Buffers.</b> As {@link #allGatherParts}.
     */
    Flux<Part> reduceScatterParts(List<Tensor> inputs, Tensor output, Reduction op);

    /**
     * Adds up the rows that the ranks have of one large tensor.
     *
     * <p>The result is what {@link #allReduce} of the dense tensors would be, at the rows that any rank has: every such row is there, also
     * if its sum is zero, once and in ascending order; AVG divides by the group's size. The caller closes it.
     *
     * <p><b>Shapes.</b> The same value type, row shape and number of dense rows on all ranks, on devices of one kind; any number of rows on each, also none.
     *
     * <p><b>Errors.</b> As {@link #allReduce}; {@link UnsupportedCollectiveException} unless {@code op} is SUM, AVG or {@link PreMulSum},
     * since absent rows are zeros.
     *
     * <p><b>Cost.</b> Two all-gathers, of a header and of indices, and an all-reduce of the rows that any rank has.
     */
    Mono<SparseTensor> sparseAllReduce(SparseTensor tensor, Reduction op);

    /**
     * Completes once every rank has subscribed to its barrier.
     *
     * <p><b>Cost.</b> ⌈log₂ n⌉ steps without payload (dissemination).
     */
    Mono<Work> barrier();

    /**
     * A {@link #barrier} with a deadline of its own whose {@link CommTimeoutException#missing()} is exactly who did not come.
     *
     * @param waitAllRanks whether the error names all missing ranks; otherwise only the first
     * @throws IllegalArgumentException if the timeout is not positive
     */
    Mono<Work> monitoredBarrier(Duration timeout, boolean waitAllRanks);

    /**
     * Sends a tensor to one rank. It completes once the receiver has issued the receive and the bytes have left the tensor.
     *
     * <p>Messages between two ranks with the same name and tag match in the order in which their calls are subscribed to.
     *
     * @param peer the receiving rank, in the group
     * @param tag any number; tells apart what goes between the same two ranks
     */
    Mono<Work> send(Tensor tensor, int peer, int tag);

    /**
     * Receives a tensor from one rank, or from {@link #ANY}; {@link Work#peer()} tells from which.
     *
     * <p><b>Shapes.</b> The type and count of the matching {@link #send}; anything else is a {@link MismatchException} on both.
     *
     * <p><b>Errors.</b> A receive from a rank that fails before its message has come takes that message with it, which fails too; one from ANY takes none.
     * {@link MismatchException} on both, too, where the two tensors are such that different engines take them. Receives of one name and tag of which one
     * is from ANY have to be for one engine; another is an {@link InvalidCallException}.
     */
    Mono<Work> receive(Tensor tensor, int peer, int tag);

    /**
     * Subscribes to all those calls at once, and emits their results in the order of the list once all have ended. So sends and receives
     * between the same ranks cannot wait for each other, in whatever order each rank lists them. Each matches by itself, as if it had been subscribed to
     * alone; for messages that ranks make as one call, see {@link #coalesce}.
     *
     * <p><b>Errors.</b> That of the call that failed first, with the others' as suppressed, after all have ended: no tensor is borrowed then.
     */
    Mono<List<Work>> batch(List<? extends Mono<Work>> calls);

    /**
     * Sends tensors to one rank as it asks for them, and emits each once it has been sent: the producer may then use its memory again.
     *
     * <p>A stream's name has at most 960 bytes of UTF-8. The other rank takes the tensors with {@link #receiveAll}; the n-th stream that one
     * rank subscribes to for a peer, name and tag meets the n-th of the other.
     *
     * <p><b>Demand.</b> From {@code tensors} no more is requested than the receiver has asked for, nor than this Flux's subscriber has.
     *
     * <p><b>Subscription and cancellation.</b> The receiver's cancellation cancels {@code tensors} and completes this Flux. Cancelling this
     * Flux cancels {@code tensors} and ends the receiver with an error. An error of {@code tensors} reaches the receiver as a
     * {@link CommException} with its text, and this Flux's subscriber as itself.
     *
     * <p><b>Deadline.</b> None: a receiver may pause as long as it likes, or come late. What receives has one; so has, of its own, a program that cannot wait.
     *
     * <p><b>Buffers.</b> Each tensor is borrowed from its emission until it is emitted here; one on a device until it has been copied to the host's memory,
     * from which it is sent. They are copied one after the other.
     */
    Flux<Tensor> sendAll(Publisher<? extends Tensor> tensors, int peer, int tag);

    /**
     * Receives the tensors that one rank sends with {@link #sendAll}, whatever their types and shapes.
     *
     * <p><b>Demand.</b> What is requested becomes credit at the sender, so memory stays bounded by it however slow this side is.
     *
     * <p><b>Subscription and cancellation.</b> Cancelling cancels the source on the other rank. The deadline counts only while there is
     * demand and nothing comes.
     *
     * <p><b>Buffers.</b> Each tensor is new, and in the host's memory; the subscriber closes it.
     */
    Flux<Tensor> receiveAll(int peer, int tag);

    /** As {@link #allGatherObject(Object, ObjectCodec)}, as JSON. */
    <T> Mono<List<T>> allGatherObject(T value, Class<T> type);

    /**
     * Collects an object from every rank, in rank order, on every rank.
     *
     * <p><b>Errors.</b> {@link InvalidCallException} if an object is larger than {@link CommConfig#objectBytes()} or cannot be read, or if
     * what one rank takes of one call is more than {@link CommConfig#MAX_OBJECT_BYTES} together.
     *
     * <p><b>Cost.</b> Two all-gathers: of lengths and bytes.
     */
    <T> Mono<List<T>> allGatherObject(T value, ObjectCodec<T> codec);

    /** As {@link #broadcastObject(Object, int, ObjectCodec)}, as JSON. */
    <T> Mono<T> broadcastObject(@Nullable T value, int root, Class<T> type);

    /** Copies the root's object to all ranks; the others' value is ignored and may be null. Errors as {@link #allGatherObject}. */
    <T> Mono<T> broadcastObject(@Nullable T value, int root, ObjectCodec<T> codec);

    /** As {@link #gatherObject(Object, int, ObjectCodec)}, as JSON. */
    <T> Mono<List<T>> gatherObject(T value, int root, Class<T> type);

    /** Collects an object from every rank on the root; elsewhere the list is empty. Errors as {@link #allGatherObject}. */
    <T> Mono<List<T>> gatherObject(T value, int root, ObjectCodec<T> codec);

    /** As {@link #scatterObject(List, int, ObjectCodec)}, as JSON. */
    <T> Mono<T> scatterObject(List<T> values, int root, Class<T> type);

    /** Hands out the root's objects, one to each rank; elsewhere the list is ignored. Errors as {@link #allGatherObject}. */
    <T> Mono<T> scatterObject(List<T> values, int root, ObjectCodec<T> codec);

    /** As {@link #reduceObject(Object, int, BinaryOperator, ObjectCodec)}, as JSON. */
    <T> Mono<T> reduceObject(T value, int root, BinaryOperator<T> op, Class<T> type);

    /**
     * Combines the ranks' objects on the root, from the left in rank order; elsewhere the Mono is empty.
     *
     * @param op associative; runs on the root
     */
    <T> Mono<T> reduceObject(T value, int root, BinaryOperator<T> op, ObjectCodec<T> codec);

    /**
     * Makes a group of some of this group's ranks, whose order in it is the order given here. All ranks of this group take part.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription makes a group. It emits the group to members and completes empty for the
     * others. A group that is emitted after cancellation is closed.
     *
     * <p><b>Errors.</b> {@link InvalidCallException} for no rank, one outside the group, or one twice; {@link MismatchException} where ranks
     * name different ranks.
     *
     * <p><b>Cost.</b> A barrier.
     */
    Mono<ProcessGroup> newGroup(int... ranks);

    /**
     * Splits this group: ranks that give the same color are one group, in the order of their keys and then of their ranks here. A rank that
     * gives a negative color gets none, and its Mono completes empty. Otherwise as {@link #newGroup}.
     *
     * <p><b>Cost.</b> An all-gather and a barrier.
     */
    Mono<ProcessGroup> split(int color, int key);

    /** Splits this group into one for each host, in the order of ranks. Otherwise as {@link #newGroup}. */
    Mono<ProcessGroup> splitByHost();

    /**
     * Lays this group's ranks out along named dimensions, row-major, with a group along each.
     *
     * <p><b>Errors.</b> {@link InvalidCallException} unless the sizes are positive, multiply to the group's size, and the names differ.
     *
     * <p><b>Cost.</b> A {@link #split} for each dimension.
     */
    Mono<GroupMesh> mesh(Dimension... dimensions);

    /**
     * {@return whether calls of that operation, type and reduction can succeed for tensors on that device} Such calls pass the check of their type, and the
     * engine that is chosen for the device performs them. For tensors of the host, links perform calls that the engine refuses. The answer is the same on all
     * ranks.
     *
     * @param type the elements' type; any for an operation without tensors, such as a barrier, which takes each alike
     * @param op null for an operation that reduces nothing, or for any of {@link ReduceOp}
     * @throws NullPointerException if the operation, the type or the device is null
     */
    boolean supports(Operation operation, DType type, @Nullable Reduction op, Device device);

    /** {@return the same, for tensors of the host} */
    default boolean supports(Operation operation, DType type, @Nullable Reduction op) {
        return supports(operation, type, op, Device.CPU);
    }

    /** {@return the same, where an operation reduces by any of {@link ReduceOp}} */
    default boolean supports(Operation operation, DType type) {
        return supports(operation, type, null);
    }

    /**
     * Makes several calls as one: with one identity, one opening to each rank and one end. Those of one operation, type, root and reduction
     * are fused, as if their tensors lay side by side; others run beside them.
     *
     * <pre>{@code
     * group.coalesce(scope -> scope
     *         .allReduce(weights, ReduceOp.AVG)
     *         .allReduce(biases, ReduceOp.AVG)
     *         .broadcast(rate, 0))
     * }</pre>
     *
     * <p>The calls are made, and their arguments looked at, when this is called; they are part of the program's text, so that all ranks cut
     * alike. What is in one scope on one rank and not on another is a {@link MismatchException} that lists both. Messages are compared by
     * the two ranks that exchange them. The algorithm of a view does not hold for them.
     *
     * <p><b>Errors.</b> {@link InvalidCallException} also where two of them use the same memory and one writes it, or where there is none.
     *
     * @param calls makes them, once, before this returns
     * @return one {@link Work} for all, with their results in their order
     */
    Mono<Work> coalesce(Consumer<? super CoalesceScope> calls);

    /**
     * {@return a composite call, to be given its body: several calls that depend on each other, under one identity}
     * The view that the body is given has this view's deadline, algorithm and priority.
     *
     * @param operation what it is, in prose; ranks compare it
     * @throws IllegalStateException if this is a view that stands in 16 composite calls already
     */
    CompositeCall composite(String operation);

    /**
     * {@return a view of a scope in which calls count from 0}
     *
     * <p>For programs whose ranks may differ in what they call: the scope's number is part of the identity of its calls, so a call that one rank leaves
     * out shifts none in the next scope. A training step is the usual scope.
     *
     * <pre>{@code
     * for (int n = 0; n < steps; n++) {
     *     train(group.numbered(n));
     * }
     * }</pre>
     *
     * <p>A scope ends on this rank when the next is asked for: a call that is assembled in it later throws an {@link InvalidCallException}. Calls that were
     * assembled before may be subscribed to until 16 further scopes have begun. Assemble a call that is subscribed to in several scopes on the group itself.
     * All views of a group share its scopes.
     *
     * <p><b>Errors.</b> A rank that waits for a call which another rank has not assembled in a scope that has ended there, or that it no longer knows, fails
     * with a {@link MismatchException} in a round trip, and so do all others that wait for it. A receive from {@link #ANY} waits for its deadline, and so
     * does a message that waits behind others for which the other rank has no receive. A composite call or a stream that is under way in a scope keeps what
     * it needs of it beyond the 16.
     *
     * <p><b>Cost.</b> Eight bytes a call, and a few for each receive from a named rank that waits for its message.
     *
     * @param number at least that of the present scope, and not negative; numbers may be left out, the same on all ranks
     * @throws IllegalArgumentException if the number is negative
     * @throws InvalidCallException if a later scope has begun on this rank
     * @throws IllegalStateException if this is a view in a composite call, which counts its calls itself
     */
    ProcessGroup numbered(long number);

    /**
     * {@return a view of an existing group whose calls are part of the composite call that this view is in}
     *
     * @param group one whose members all belong to the composite's group
     * @throws IllegalStateException if this is no view that a composite call's body was given
     * @throws IllegalArgumentException if the group has other members, or is of another world
     */
    ProcessGroup within(ProcessGroup group);

    /**
     * {@return what writes this rank's flight recorder into a file, as JSON, and completes with it: the calls under way and whom they wait for, the last that
     * have ended, peers, groups, the loop and the JVM's threads} {@code rcomm doctor} reads it.
     *
     * <p><b>Threads.</b> Written, and told of, on a thread of its own. A loop that is blocked is waited for half a second; then the dump is written without
     * it, and says so.
     *
     * <p><b>Errors.</b> An {@link java.io.IOException} if the file cannot be written; then nothing of it stays. Folders that are not there are made.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription writes anew. Cancelling lets the file be written all the same.
     */
    Mono<Path> dump(Path file);

    /** {@return what this rank has sent to the other members since it joined, in this and every other group} */
    Traffic traffic();

    /**
     * {@return a view whose calls are counted under a name of their own}
     * Views with the same name share their count, which is kept as long as the group: names are for layers, not for steps. Closing a view
     * closes the group.
     *
     * @param name at most 1024 bytes of UTF-8
     * @throws IllegalArgumentException if it is longer
     */
    ProcessGroup named(String name);

    /**
     * {@return a view whose calls have that deadline, counted from their subscription}
     *
     * @throws IllegalArgumentException if it is not positive
     */
    ProcessGroup timeout(Duration deadline);

    /** {@return the deadline of this view's calls} */
    Duration timeout();

    /**
     * {@return a view whose collectives run that algorithm, where they have it}
     * All ranks choose alike. An algorithm that reassociates may be asked for in this way; what it returns is still the same on all ranks.
     *
     * Objects, sparse tensors, new groups and streams, which are made of several calls, go on choosing for themselves.
     *
     * <p><b>Errors.</b> {@link UnsupportedCollectiveException} from calls that cannot run it.
     *
     * @param algorithm a name that {@link Work#algorithm()} shows; empty to let the group choose
     */
    ProcessGroup algorithm(String algorithm);

    /**
     * {@return a view whose reductions over links give those bits}
     * All ranks choose alike. {@link Bits#ANY_ORDER} lets floating-point sums go by algorithms that move less; each result is still the same on
     * all ranks. A group begins with what the world was configured for ({@link CommConfig#bits}), and groups made of a view with the view's.
     *
     * <p><b>Errors.</b> {@link MismatchException} from calls for which ranks that choose otherwise take another algorithm; where both choices run the
     * same one, as for small tensors, there is nothing to tell.
     */
    ProcessGroup bits(Bits bits);

    /**
     * {@return a view whose calls end when they are enqueued on their tensors' device}
     * {@link Work#handle()} completes when the result is in the tensors. Until then they are borrowed, and the deadline and the group's failures end the call
     * through the handle. Work that this library enqueues later on the same tensors waits for the result on the device, so the host need not wait. Later means after
     * the call's {@link Work} has been emitted. Before that the call may not be enqueued yet, and no other call may use its tensors.
     *
     * <p>Some calls complete as on any other view: those that consist of several calls, such as objects, streams, composites and groups; barriers, which have no
     * tensors; and calls of device tensors by an engine without a queue on the device, such as MPI's.
     *
     * <p><b>Errors.</b> {@link UnsupportedCollectiveException} for calls of host tensors whose engine has no queue, such as links.
     */
    ProcessGroup enqueued();

    /**
     * {@return a view whose calls go before those of a lower priority, where both wait for the same link or engine}
     * A group has priority 0, and a view that of what it was made of; among equals the call that began first goes first. It is a hint of this
     * rank's own, which ranks need not give alike: it changes when bytes move, never what a call returns nor which calls match. Bytes that
     * are under way are not stopped.
     *
     * <p>A bucket of gradients that the next forward pass needs first is what it is for. Calls of a lower priority wait as long as there are
     * others: their deadlines go on counting.
     *
     * @param priority the greater, the sooner; may be negative
     */
    ProcessGroup priority(int priority);

    /** {@return the priority of this view's calls} */
    int priority();

    /**
     * {@return the end of the group on this rank, for a rank that may be idle when it comes}
     * It completes after this rank has closed the group, or the world's; otherwise it fails as the group's calls do from then on: with
     * {@link PeerLostException} if a member is lost, with {@link GroupClosedException} if a rank aborts the group or has a fault, and with the cause if the
     * engine of some of its tensors fails the group, as NCCL or MPI do when one of their calls does not end. A member that leaves
     * in good order is no end: calls that do not need it go on, but for those of an engine that needs one order, whose calls in the group end.
     * The first end counts, whatever comes after it.
     *
     * <p><b>Subscription and cancellation.</b> It may be subscribed to at any time and as often as one likes, and all views of the group share it.
     * Cancelling one subscription is no matter of the others.
     *
     * <p><b>Threads.</b> Signals come on the group's loop, after those of the calls that the end fails; to a subscriber that comes after the end, on
     * its own thread. Of the world's group completion comes when its links are flushed.
     */
    Mono<Void> ended();

    /**
     * Has an observer told of this group's calls on this rank: of those that are subscribed to from here on, by all its views, and of their parts in it. Calls of
     * groups that are made of this one are not among them; {@link CommConfig#withObserver} hears of all. One that observes the world or a view, too, hears of each
     * call once; but who is given to this method twice hears of each twice, until one of the two is disposed of.
     *
     * @return what ends that; a call that is under way then is not told of any more
     */
    Disposable observe(CommObserver observer);

    /**
     * {@return a view whose calls that observer hears of, too, beside those who observe the group}
     * Also of composite calls and of their parts in this group, and of what buckets, streams and objects made of this view are made of. One that observes the
     * group already hears of each call once. Of calls of groups that are made of this one it does not hear, nor of what is none of a call's.
     */
    ProcessGroup observedBy(CommObserver observer);

    /**
     * Aborts the group on all ranks: pending and later calls fail with {@link GroupClosedException}, those that this rank makes from the moment in
     * which this returns without exception. A group that has ended stays as it is: nobody hears a second reason. Groups
     * that were made of this one continue. Those made of the world's group end with the same reason on all their ranks when this rank closes the world's
     * group. {@link ReactiveComm#using} does both when a program fails.
     *
     * @param reason shown in every rank's error
     */
    void abort(String reason);

    /**
     * Leaves the group: pending calls of this rank fail, its peers are told, and what it holds is freed. Calls that it makes from the moment in
     * which this returns fail with {@link GroupClosedException}, whatever had become of the group before. Closing a view closes the group.
     * Idempotent, throws nothing checked. Of the world's group it returns once the links are flushed, after at most about a second if the machine
     * is not overloaded, and ends every group made of it; of another group it returns at once. On a thread that must not block, such as a loop or
     * one of {@link reactor.core.scheduler.Schedulers#parallel()}, it returns at once and the rest is done by a thread of its own.
     */
    @Override
    void close();
}
