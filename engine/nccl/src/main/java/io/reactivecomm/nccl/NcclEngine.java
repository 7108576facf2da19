package io.reactivecomm.nccl;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.GroupKey;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The engine of one rank: has its turns launched in their order, and keeps the communicators.
 *
 * <p><b>Threads.</b> As {@link OrderedEngine} has it.
 */
final class NcclEngine implements OrderedEngine {

    private static final Logger LOG = LoggerFactory.getLogger(NcclEngine.class);

    private final LaunchContext context;
    private final LaunchStream stream;
    private final int rank;
    private final LaunchQueue queue;
    private final UniqueIds ids;
    private final Map<GroupKey, NcclGroup> groups = new ConcurrentHashMap<>();
    /** Calls that have neither a result nor a failure. */
    private final Set<NcclCall> live = ConcurrentHashMap.newKeySet();

    private final Set<NcclGroupOpening> openings = ConcurrentHashMap.newKeySet();
    private boolean isClosed;

    /**
     * One for a world.
     *
     * @param rank this one, in the world
     * @param world its communicator
     */
    NcclEngine(LaunchContext context, int rank, NcclGroup world) {
        this.context = context;
        this.stream = context.stream();
        this.rank = rank;
        this.queue = new LaunchQueue(stream);
        this.ids = new UniqueIds(context.setup(), context.control());
        groups.put(new GroupKey(0, EngineGroup.WORLD), world);
        stream.execute(() -> stream.watch(this::findFailures));
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return NcclRefusals.of(kind, context.setup().library().dialect(), context.abilities());
    }

    /** A communicator has the device of its rank. */
    @Override
    public void requireUsable(EngineGroup group, Collective call) {
        Device own = stream.device();
        for (Tensor tensor : call.tensors()) {
            if (!tensor.device().equals(own)) {
                throw new InvalidCallException("a tensor is on another device than its rank: tensor=" + tensor
                        + ", device=" + tensor.device() + ", device of the rank=" + own
                        + "; allocate it there, or choose the rank's device by " + NcclEngineProvider.DEVICE);
            }
        }
        stream.requireKnown(call.tensors());
    }

    @Override
    public @Nullable DeviceMemory memory() {
        return stream.memory();
    }

    @Override
    public boolean enqueues() {
        return stream.memory() != null;
    }

    @Override
    public Formation formation() {
        return context.abilities().splits() ? Formation.PARENT : Formation.MEMBERS;
    }

    @Override
    public void run(List<Turn> batch) {
        List<NcclCall> calls = new ArrayList<>();
        for (Turn turn : batch) {
            switch (turn) {
                case Turn.Call call -> calls.add(begin(call));
                case Turn.Opening opening -> open(opening);
                case Turn.Freeing freeing -> queue.add(new GroupFreeing(freeing, context, this::freed));
            }
        }
        GroupCut.of(calls).forEach(group -> queue.add(new CallBatch(context, group, queue::look)));
    }

    private NcclCall begin(Turn.Call turn) {
        NcclGroup group = groups.get(GroupKey.of(turn.group()));
        if (group == null) {
            throw new IllegalStateException(
                    "a call of a group that is not open: group=" + turn.group().id());
        }
        NcclCall call = new NcclCall(turn, group, live::remove);
        live.add(call);
        return call;
    }

    private void open(Turn.Opening turn) {
        Mono<byte[]> id = turn.from() == null ? ids.of(turn.group()) : Mono.never();
        NcclGroupOpening opening = new NcclGroupOpening(turn, context, new OpenGroups(), id, queue::look, rank);
        openings.add(opening);
        queue.add(opening);
    }

    /** The groups as openings see them, on the stream's thread. */
    private final class OpenGroups implements NcclGroupOpening.Groups {

        @Override
        public @Nullable NcclGroup find(EngineGroup group) {
            return groups.get(GroupKey.of(group));
        }

        /** Who gives it up meanwhile finds it as an opening or as a group. */
        @Override
        public void opened(NcclGroupOpening opening, Optional<NcclGroup> made) {
            made.ifPresent(group -> groups.put(GroupKey.of(opening.group()), group));
            openings.remove(opening);
            if (opening.isGivenUp()) {
                made.ifPresent(group -> {
                    groups.remove(GroupKey.of(opening.group()), group);
                    abort(group);
                });
            }
        }

        @Override
        public void lost(EngineGroup group) {
            NcclGroup known = find(group);
            if (known != null) {
                end(known, calls(call -> call.group() == known), NcclFailures.lost(group, rank));
            }
        }
    }

    /** Fails all calls of a group, and then stops them: what an abort ends on the device looks as if it had succeeded. */
    private void end(@Nullable NcclGroup group, List<NcclCall> calls, Failure cause) {
        try {
            if (group != null) {
                group.fail(cause);
            }
            fail(calls.iterator(), cause);
        } finally {
            abort(group);
            queue.look();
        }
    }

    /** All fail, also if some who hear of it throw. */
    private static void fail(Iterator<NcclCall> calls, Failure cause) {
        try {
            calls.forEachRemaining(call -> call.fail(cause));
        } finally {
            if (calls.hasNext()) {
                fail(calls, cause);
            }
        }
    }

    private List<NcclCall> calls(Predicate<NcclCall> which) {
        return live.stream().filter(which).toList();
    }

    private @Nullable NcclGroup freed(EngineGroup group) {
        ids.forget(group);
        return remove(group);
    }

    private @Nullable NcclGroup remove(EngineGroup group) {
        return groups.remove(GroupKey.of(group));
    }

    private void abort(@Nullable NcclGroup group) {
        if (group != null) {
            stream.aside("abort", group::abort);
        }
    }

    /** A communicator that has failed fails its calls, and so its group. On the stream's thread. */
    private void findFailures() {
        live.stream()
                .filter(call -> !call.isFailed())
                .map(NcclCall::group)
                .distinct()
                .forEach(this::findFailure);
    }

    private void findFailure(NcclGroup group) {
        try {
            group.isSettled();
        } catch (NcclException e) {
            calls(call -> call.group() == group).forEach(call -> context.fail(call, e));
        }
    }

    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        GroupKey id = GroupKey.of(group);
        openings.stream()
                .filter(opening -> GroupKey.of(opening.group()).equals(id))
                .forEach(NcclGroupOpening::giveUp);
        end(remove(group), calls(call -> GroupKey.of(call.turn().group()).equals(id)), cause);
    }

    /** Its calls are over: who closes a group while some run abandons it. Its communicator is freed when all have closed it. */
    @Override
    public void closeGroup(EngineGroup group) {
        LOG.debug("a group is closed: rank={}, group={}", rank, group.id());
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        openings.forEach(NcclGroupOpening::giveUp);
        Set<NcclGroup> running = live.stream().map(NcclCall::group).collect(Collectors.toSet());
        groups.values().removeAll(running);
        List<NcclGroup> left = List.copyOf(groups.values());
        groups.values().removeAll(left);
        try {
            fail(List.copyOf(live).iterator(), NcclFailures.closed(rank));
        } finally {
            running.forEach(this::abort);
            queue.look();
            stream.execute(() -> leave(left));
        }
    }

    /** Each rank leaves all communicators at the same time: so none waits for another in turn. */
    private void leave(List<NcclGroup> left) {
        left.forEach(context.memory()::forget);
        left.forEach(group -> stream.aside("leave", group::leave));
        stream.close();
    }
}
