package io.reactivecomm.mpi;

import io.reactivecomm.CommException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EnginePoll;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.GroupKey;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of one rank: gives each call its way, and keeps the communicators.
 *
 * <p>Small calls go by {@link SmallCalls} on the rank's loop, in MPI's non-blocking form: no other thread has to be woken for them. All others go by the
 * {@link Worker}, in the blocking one: there MPI may take its time, and Open MPI's is the faster of the two. Which way a call goes follows from what all its ranks
 * agree on.
 *
 * <p><b>Threads.</b> As {@link OrderedEngine} has it.
 */
final class MpiEngine implements OrderedEngine {

    private static final Logger LOG = LoggerFactory.getLogger(MpiEngine.class);

    /** Tags of MPI go up to 32,767 at least. */
    private static final int TAGS = 1 << 15;

    /** How often what nobody waits for is looked at. */
    private static final long SELDOM_NANOS = 100_000_000;

    private final MpiProcess process;
    private final Loop loop;
    private final int rank;
    private final List<Integer> processes;
    private final CallLimits limits;
    private final Devices devices;
    private final Folds folds = new Folds();
    private final Worker worker;
    private final SmallCalls rounds;
    private final EnginePoll poll;
    private final Aside aside;
    private final Map<GroupKey, GroupComms> comms = new ConcurrentHashMap<>();
    /** Calls that have not ended. */
    private final Set<Running> live = ConcurrentHashMap.newKeySet();

    private final Set<GroupTask> tasks = ConcurrentHashMap.newKeySet();
    /** Whether a look is due for the sake of what nobody waits for; the loop's. */
    private boolean looksSeldom;

    /** Whether a rank is lost, or a thread is in MPI for good: then MPI is not ended, which would wait for both. */
    private volatile boolean isSpoiled;

    private volatile boolean isClosed;

    /**
     * One for a world.
     *
     * @param processes the ranks of the world, as MPI counts them
     * @param world its communicators
     */
    MpiEngine(
            MpiProcess process,
            EngineContext context,
            List<Integer> processes,
            GroupComms world,
            CallLimits limits,
            Devices devices) {
        this.process = process;
        this.loop = context.loop();
        this.rank = context.control().rank();
        this.processes = List.copyOf(processes);
        this.limits = limits;
        this.devices = devices;
        this.worker = process.worker();
        this.rounds = new SmallCalls(process, this::plan);
        this.poll = new EnginePoll(loop, this::look);
        this.aside = new Aside("rcomm-mpi-aside", worker, rounds);
        comms.put(new GroupKey(0, EngineGroup.WORLD), world);
    }

    private Plan plan(Running running) {
        EngineGroup group = running.turn().group();
        PlanPlace place = new PlanPlace(
                process.library(),
                process.calls(),
                folds,
                limits.elements(),
                group.rank(),
                group.worldRanks().size());
        return Planner.plan(place, running.memory(), running.turn().call().collective());
    }

    private EnginePoll.Found look() {
        EnginePoll.Found found = lookAtAwaited();
        if (rounds.hasLeftOver()) {
            lookSeldom();
        }
        return found;
    }

    private EnginePoll.Found lookAtAwaited() {
        if (worker.isBusy() && rounds.hasAny()) {
            aside.wake();
            return EnginePoll.Found.NOTHING;
        }
        return rounds.look();
    }

    /** What is left over of a group that has failed keeps no core busy. On the loop. */
    private void lookSeldom() {
        if (!looksSeldom) {
            looksSeldom = true;
            loop.schedule(
                    () -> {
                        looksSeldom = false;
                        lookAtLeftOver();
                    },
                    SELDOM_NANOS);
        }
    }

    private void lookAtLeftOver() {
        if (!worker.isBusy()) {
            rounds.lookAtLeftOver();
        }
        if (rounds.hasLeftOver()) {
            lookSeldom();
        }
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return Refusals.of(kind);
    }

    @Override
    public void requireUsable(EngineGroup group, Collective call) {
        devices.requireUsable(call);
    }

    @Override
    public @Nullable DeviceMemory memory() {
        return devices.memory();
    }

    @Override
    public Formation formation() {
        return Formation.MEMBERS;
    }

    @Override
    public void run(List<Turn> batch) {
        boolean hasSmall = false;
        for (Turn turn : batch) {
            switch (turn) {
                case Turn.Call call -> hasSmall |= begin(call);
                case Turn.Opening opening ->
                    begin(new GroupTask(
                            opening.group(),
                            opening.sink(),
                            this::open,
                            cause -> failure("open", opening.group(), cause),
                            tasks::remove));
                case Turn.Freeing freeing ->
                    begin(new GroupTask(
                            freeing.group(),
                            freeing.sink(),
                            this::free,
                            cause -> failure("free", freeing.group(), cause),
                            tasks::remove));
            }
        }
        if (hasSmall) {
            poll.begun();
        }
    }

    /** {@return whether it is a small one} */
    private boolean begin(Turn.Call call) {
        GroupComms known = comms.get(GroupKey.of(call.group()));
        if (known == null) {
            throw new IllegalStateException(
                    "a call of a group that is not open: group=" + call.group().id());
        }
        boolean isSmall = SmallCallRule.isSmall(
                call.call().collective(), call.group().worldRanks().size(), limits.smallBytes());
        Running running = new Running(call, known, () -> devices.memory(call, isSmall), live::remove);
        live.add(running);
        if (isSmall) {
            return beginSmall(running);
        }
        worker.add(new LargeCall(process, rounds, running, this::plan, this::threadIsFree));
        return false;
    }

    private boolean beginSmall(Running running) {
        try {
            running.prepare();
        } catch (RuntimeException | Error e) {
            running.failed(MpiFailures.of(running, e));
            return false;
        }
        rounds.add(running);
        if (!running.ready().isDone()) {
            running.ready().whenDone(this::threadIsFree);
        }
        return true;
    }

    /** Small calls are looked at on the loop again. */
    private void threadIsFree() {
        if (!isClosed && rounds.holdsAny()) {
            poll.begun();
        }
    }

    private void begin(GroupTask task) {
        tasks.add(task);
        worker.add(task);
    }

    private void open(GroupTask task) {
        EngineGroup group = task.group();
        List<Integer> members = group.worldRanks().stream().map(processes::get).toList();
        int tag = (int) Math.floorMod(31 * group.id() + group.generation(), (long) TAGS);
        GroupComms made = process.open(members, tag);
        if (!task.isGivenUp()) {
            comms.put(GroupKey.of(group), made);
        }
    }

    private void free(GroupTask task) {
        GroupComms freed = comms.remove(GroupKey.of(task.group()));
        if (freed != null) {
            process.free(freed);
        }
    }

    private Failure failure(String what, EngineGroup group, Throwable cause) {
        return new Failure(
                Failure.Kind.INTERNAL,
                rank,
                "MPI cannot " + what + " a group: rank=" + rank + ", group=" + group.id() + ", ranks="
                        + group.worldRanks() + ", open=" + comms.size() + ", cause="
                        + (cause instanceof MpiException ? CommException.textOf(cause) : cause)
                        + "; close groups that are not needed");
    }

    /**
     * What MPI has begun for it may never end, so its communicators are left to the process. A rank that leaves in good order takes its groups with it, too, but
     * never the world's own: MPI can be ended all the same.
     */
    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        GroupKey id = GroupKey.of(group);
        comms.remove(id);
        tasks.stream().filter(task -> GroupKey.of(task.group()).equals(id)).forEach(GroupTask::giveUp);
        live.stream()
                .filter(running -> GroupKey.of(running.turn().group()).equals(id))
                .forEach(running -> running.abandon(cause));
        boolean isWorldLost = group.isWorld() && cause.kind() != Failure.Kind.CLOSED;
        boolean isThreadLost = worker.writeOff();
        isSpoiled |= isWorldLost || isThreadLost;
        threadIsFree();
    }

    /** Its calls are over: who closes a group while some run abandons it. Its communicators are freed when all have closed it. */
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
        live.forEach(running -> running.abandon(MpiFailures.closed(rank, "the world")));
        aside.close();
        isSpoiled |= worker.writeOff();
        if (isSpoiled) {
            process.keep(rounds);
        } else {
            worker.add(new LastRounds(rounds, process));
        }
        process.end();
        devices.close();
    }
}
