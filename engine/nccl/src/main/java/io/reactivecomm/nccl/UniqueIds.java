package io.reactivecomm.nccl;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.spi.engine.EngineGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The unique ids of groups that are not split: the first member makes one and sends it to the others, over links.
 *
 * <p><b>Threads.</b> Any.
 */
final class UniqueIds {

    private static final int TAG = 0;

    private final NcclSetup setup;
    private final ProcessGroup control;
    /** How often each group has been opened so: what is left over of one time is not taken for the next. */
    private final Map<String, Integer> times = new ConcurrentHashMap<>();

    UniqueIds(NcclSetup setup, ProcessGroup control) {
        this.setup = setup;
        this.control = control;
    }

    /** {@return the id of a group, which all its members ask for as often} */
    Mono<byte[]> of(EngineGroup group) {
        String name = name(group);
        ProcessGroup links = control.named(name + "," + times.merge(name, 1, Integer::sum));
        return group.rank() == 0
                ? Mono.defer(() -> sent(links, group.worldRanks()))
                : Mono.defer(() -> received(links, group.worldRanks().getFirst()));
    }

    private static String name(EngineGroup group) {
        return "nccl\u0001id" + group.id() + "," + group.generation();
    }

    /** The group will not be opened again. */
    void forget(EngineGroup group) {
        times.remove(name(group));
    }

    private Mono<byte[]> sent(ProcessGroup links, List<Integer> members) {
        byte[] id = setup.uniqueId();
        Tensor bytes = Tensor.of(id);
        List<Mono<?>> messages = new ArrayList<>();
        members.stream().skip(1).forEach(member -> messages.add(links.send(bytes, member, TAG)));
        return Flux.merge(Flux.fromIterable(messages), messages.size() + 1)
                .then(Mono.just(id))
                .doFinally(end -> bytes.close());
    }

    private Mono<byte[]> received(ProcessGroup links, int first) {
        Tensor bytes = Tensor.of(new byte[setup.library().dialect().idBytes()]);
        return links.receive(bytes, first, TAG).map(work -> bytes.toByteArray()).doFinally(end -> bytes.close());
    }
}
