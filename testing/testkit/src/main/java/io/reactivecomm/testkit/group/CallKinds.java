package io.reactivecomm.testkit.group;

import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GuardedMemory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** One call of every kind that a group has, for what holds of all of them. */
final class CallKinds {

    private static final int PEER = 1;

    private final GuardedMemory memory;

    CallKinds(GuardedMemory memory) {
        this.memory = memory;
    }

    private Tensor floats(long count) {
        return memory.tensor(DType.FLOAT32, count);
    }

    private List<Tensor> floats(long count, int times) {
        return Stream.generate(() -> floats(count)).limit(times).toList();
    }

    /** {@return calls that are assembled now, by what they are called; the group's rank is not 1, and there is one} */
    Map<String, Publisher<?>> of(ProcessGroup group) {
        Map<String, Publisher<?>> calls = new LinkedHashMap<>();
        addCollectives(calls, group);
        addMessages(calls, group);
        addComposites(calls, group);
        addGroups(calls, group);
        return calls;
    }

    private void addCollectives(Map<String, Publisher<?>> calls, ProcessGroup group) {
        int size = group.size();
        calls.put("all-reduce", group.allReduce(floats(3), ReduceOp.SUM));
        calls.put("large all-reduce", group.allReduce(floats(200_000), ReduceOp.SUM));
        calls.put("reduce", group.reduce(floats(3), PEER, ReduceOp.SUM));
        calls.put("broadcast", group.broadcast(floats(3), group.rank()));
        calls.put("all-gather", group.allGather(floats(3), floats(3L * size)));
        calls.put("reduce-scatter", group.reduceScatter(floats(3L * size), floats(3), ReduceOp.SUM));
        calls.put("all-to-all", group.allToAll(floats(size), floats(size)));
        calls.put("gather", group.gather(floats(2), List.of(), PEER));
        calls.put("scatter", group.scatter(floats(2, size), floats(2), group.rank()));
        calls.put("barrier", group.barrier());
        calls.put("monitored barrier", group.monitoredBarrier(Duration.ofSeconds(20), true));
        calls.put("coalesced all-reduce", group.allReduceCoalesced(floats(2, 3), ReduceOp.SUM));
        calls.put(
                "scope",
                group.coalesce(scope -> scope.allReduce(floats(2), ReduceOp.SUM).broadcast(floats(3), 0)));
        calls.put("parts of an all-gather", group.allGatherParts(floats(3), floats(3, size)));
        calls.put("parts of a reduce-scatter", group.reduceScatterParts(floats(3, size), floats(3), ReduceOp.SUM));
        calls.put("a call that fails its checks", group.broadcast(floats(3), size + 7));
    }

    private void addMessages(Map<String, Publisher<?>> calls, ProcessGroup group) {
        calls.put("send", group.send(floats(3), PEER, 4));
        calls.put("receive", group.receive(floats(3), PEER, 4));
        calls.put("receive from any", group.receive(floats(3), ProcessGroup.ANY, 5));
        calls.put("batch", group.batch(List.of(group.send(floats(3), PEER, 6), group.receive(floats(3), PEER, 6))));
        calls.put("outgoing stream", group.sendAll(Flux.just(floats(3), floats(4)), PEER, 7));
        calls.put("outgoing stream without tensors", group.sendAll(Flux.empty(), PEER, 8));
        calls.put("outgoing stream to nobody", group.sendAll(Flux.empty(), 99, 8));
        calls.put("incoming stream from this rank", group.receiveAll(group.rank(), 8));
        calls.put("incoming stream from anybody", group.receiveAll(ProcessGroup.ANY, 8));
        calls.put("incoming stream", group.receiveAll(PEER, 7));
    }

    private void addComposites(Map<String, Publisher<?>> calls, ProcessGroup group) {
        calls.put("all-gather of objects", group.allGatherObject("mine", String.class));
        calls.put("broadcast of an object", group.broadcastObject("mine", group.rank(), String.class));
        calls.put("gather of objects", group.gatherObject("mine", PEER, String.class));
        calls.put("scatter of objects", group.scatterObject(List.of("a", "b", "c", "d"), group.rank(), String.class));
        calls.put("reduce of objects", group.reduceObject("mine", PEER, String::concat, String.class));
        SparseTensor sparse = new SparseTensor(memory.tensor(DType.INT64, 2), floats(2), 5);
        calls.put("sparse all-reduce", group.sparseAllReduce(sparse, ReduceOp.SUM));
    }

    private static void addGroups(Map<String, Publisher<?>> calls, ProcessGroup group) {
        calls.put("new group", group.newGroup(group.rank(), PEER));
        calls.put("new group of others", group.newGroup(PEER));
        calls.put("split", group.split(0, group.rank()));
        calls.put("split by host", group.splitByHost());
        calls.put("mesh", group.mesh(new Dimension("data", 2), new Dimension("model", 2)));
    }
}
