package io.reactivecomm.engine;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.collective.ReduceScatter;
import io.reactivecomm.collective.Send;
import io.reactivecomm.spi.FrameCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * A process group over links: checks a call once, gives it its identity, and hands it to the engine when it is subscribed to.
 *
 * <p>A view differs from its group in the name and the deadline of its calls. <b>Threads.</b> Any.
 */
final class LinksGroup implements ProcessGroup {

    private final Assembler assembler;
    private final String name;
    private final Duration deadline;

    LinksGroup(Assembler assembler, String name, Duration deadline) {
        this.assembler = assembler;
        this.name = name;
        this.deadline = deadline;
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
    public int generation() {
        return group().generation();
    }

    @Override
    public Tensor allocate(DType type, long... shape) {
        return Tensor.allocate(type, shape);
    }

    @Override
    public Mono<Work> allReduce(Tensor tensor, Reduction op) {
        return allReduce(tensor, tensor, op);
    }

    @Override
    public Mono<Work> allReduce(Tensor input, Tensor output, Reduction op) {
        return collective(() -> new AllReduce(input, output, op));
    }

    @Override
    public Mono<Work> reduce(Tensor tensor, int root, Reduction op) {
        return collective(() -> new Reduce(tensor, root, op));
    }

    @Override
    public Mono<Work> broadcast(Tensor tensor, int root) {
        return collective(() -> new Broadcast(tensor, root));
    }

    @Override
    public Mono<Work> allGather(Tensor input, Tensor output) {
        return collective(() -> new AllGather(input, output));
    }

    @Override
    public Mono<Work> reduceScatter(Tensor input, Tensor output, Reduction op) {
        return collective(() -> new ReduceScatter(input, output, op));
    }

    @Override
    public Mono<Work> barrier() {
        return collective(Barrier::new);
    }

    @Override
    public Mono<Work> send(Tensor tensor, int peer, int tag) {
        return assembler.message(new Submission.Address.To(name, tag, peer), deadline, check(() -> new Send(tensor, peer, tag)));
    }

    @Override
    public Mono<Work> receive(Tensor tensor, int peer, int tag) {
        return assembler.message(new Submission.Address.From(name, tag, peer), deadline, check(() -> new Receive(tensor, peer, tag)));
    }

    private Mono<Work> collective(Supplier<Collective> call) {
        return assembler.collective(name, deadline, check(call));
    }

    /** A call that fails its checks is assembled all the same: it takes its place, and fails when it is subscribed to. */
    private Checked check(Supplier<Collective> call) {
        try {
            return new Checked.Sound(call.get().checkedFor(rank(), size()));
        } catch (InvalidCallException | UnsupportedCollectiveException e) {
            return new Checked.Unsound(e);
        }
    }

    /** What the checks of a call came to. */
    sealed interface Checked {

        record Sound(Collective collective) implements Checked {}

        record Unsound(CommException error) implements Checked {}
    }

    @Override
    public ProcessGroup named(String name) {
        int lengthBytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (lengthBytes > FrameCodec.MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "a name is too long: bytes=" + lengthBytes + "; give at most " + FrameCodec.MAX_NAME_BYTES + " bytes of UTF-8");
        }
        return new LinksGroup(assembler, name, deadline);
    }

    @Override
    public ProcessGroup timeout(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("a deadline is not positive: deadline=" + deadline + "; give a positive duration");
        }
        return new LinksGroup(assembler, name, deadline);
    }

    @Override
    public void abort(String reason) {
        assembler.driver().abort(group(), reason);
    }

    @Override
    public void close() {
        assembler.driver().close();
    }

    @Override
    public String toString() {
        return "ProcessGroup[rank=" + rank() + ", size=" + size() + (name.isEmpty() ? "" : ", name=" + name) + "]";
    }
}
