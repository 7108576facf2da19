package io.reactivecomm.mpi;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.EnginePoll;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Formation;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.OrderedEngine;
import io.reactivecomm.spi.Turn;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The engine of one rank: gives each call its way, and keeps the communicators.
 *
 * <p>Small calls go by {@link Rounds} on the rank's loop, in MPI's non-blocking form: no other thread has to be woken for them. All others go by the
 * {@link Worker}, in the blocking one: there MPI may take its time, and Open MPI's is the faster of the two. Which way a call goes follows from what all its ranks
 * agree on.
 *
 * <p><b>Threads.</b> As {@link OrderedEngine} has it.
 */
final class MpiEngine implements OrderedEngine {

    /** Bytes of a small call: MPI sends them at once, and they are folded and copied in a few microseconds. */
    private static final long SMALL_BYTES = 16 << 10;

    /** Tags of MPI go up to 32,767 at least. */
    private static final int TAGS = 1 << 15;

    /** How often what nobody waits for is looked at. */
    private static final long SELDOM_NANOS = 100_000_000;

    private final MpiProcess process;
    private final Loop loop;
    private final int rank;
    private final List<Integer> processes;
    private final int limit;
    private final Worker worker;
    private final Rounds rounds;
    private final EnginePoll poll;
    private final Aside aside;
    private final Map<GroupId, GroupComms> comms = new ConcurrentHashMap<>();
    private final Map<Running, Boolean> large = new ConcurrentHashMap<>();
    private final Map<OpeningTask, Boolean> openings = new ConcurrentHashMap<>();
    /** Whether a look is due for the sake of what nobody waits for; the loop's. */
    private boolean looksSeldom;

    private volatile boolean isSpoiled;
    private volatile boolean isClosed;

    private record GroupId(long id, int generation) {

        static GroupId of(EngineGroup group) {
            return new GroupId(group.id(), group.generation());
        }
    }

    /**
     * One for a world.
     *
     * @param rank this one, in the world
     * @param processes the ranks of the world, as MPI counts them
     * @param world its communicators
     * @param limit elements of one of MPI's calls at most
     */
    MpiEngine(MpiProcess process, Loop loop, int rank, List<Integer> processes, GroupComms world, int limit) {
        this.process = process;
        this.loop = loop;
        this.rank = rank;
        this.processes = List.copyOf(processes);
        this.limit = limit;
        this.worker = process.worker();
        this.rounds = new Rounds(process, this::plan);
        this.poll = new EnginePoll(loop, this::look);
        this.aside = new Aside("rcomm-mpi-aside", worker, rounds);
        comms.put(new GroupId(EngineGroup.WORLD, 0), world);
    }

    private Plan plan(Running running) {
        EngineGroup group = running.turn().group();
        PlanPlace place = new PlanPlace(process.library(), process.calls(), limit, group.rank(), group.worldRanks().size());
        return Planner.plan(place, running.turn().call().collective());
    }

    private EnginePoll.Found look() {
        if (worker.isBusy() && rounds.hasAny()) {
            aside.wake();
            return EnginePoll.Found.NOTHING;
        }
        EnginePoll.Found found = rounds.look();
        if (found == EnginePoll.Found.NO_MORE && rounds.hasAny()) {
            lookSeldom();
        }
        return found;
    }

    /** What is left over of a group that has failed keeps no core busy. On the loop. */
    private void lookSeldom() {
        if (!looksSeldom) {
            looksSeldom = true;
            loop.schedule(
                    () -> {
                        looksSeldom = false;
                        poll.begun();
                    },
                    SELDOM_NANOS);
        }
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return Refusals.of(kind);
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
                case Turn.Opening opening -> worker.add(new OpeningTask(opening));
                case Turn.Freeing freeing -> worker.add(() -> free(freeing));
            }
        }
        if (hasSmall) {
            poll.begun();
        }
    }

    /** {@return whether it is a small one} */
    private boolean begin(Turn.Call call) {
        GroupComms known = comms.get(GroupId.of(call.group()));
        if (known == null) {
            throw new IllegalStateException("a call of a group that is not open: group=" + call.group().id());
        }
        Running running = new Running(call, known);
        if (isSmall(call.call().collective(), call.group().worldRanks().size())) {
            rounds.add(running);
            return true;
        }
        large.put(running, true);
        worker.add(new LargeCall(running));
        return false;
    }

    /** The same on all ranks: of rows that only pairs of them know, or some have and others not, it is never so. */
    private static boolean isSmall(Collective call, int size) {
        long width = call.signature().type().byteSize();
        return switch (call.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST, MESSAGE -> call.signature().count() * width <= SMALL_BYTES;
            case ALL_GATHER -> total(call.partitions(size).output(), width) <= SMALL_BYTES;
            case REDUCE_SCATTER -> total(call.partitions(size).input(), width) <= SMALL_BYTES;
            case ALL_TO_ALL -> call.signature().isEven() && call.signature().count() * width <= SMALL_BYTES;
            case BARRIER -> true;
            case GATHER, SCATTER, COALESCED, MONITORED_BARRIER, NEW_GROUP -> false;
        };
    }

    private static long total(Partition parts, long width) {
        return parts.total() * width;
    }

    /** A large call on the worker. */
    private final class LargeCall implements Worker.Task {

        private final Running running;

        private LargeCall(Running running) {
            this.running = running;
        }

        @Override
        public boolean isGivenUp() {
            return running.isBegun() && running.isEnded() && isSpoiled;
        }

        @Override
        public void run() {
            try {
                long comm = running.comms().blocking();
                if (!running.isDropped() && haveAllCome(comm) && running.begin()) {
                    perform(comm);
                }
            } catch (RuntimeException | Error e) {
                running.failed(Faults.of(running, e));
            } finally {
                large.remove(running);
                if (rounds.hasAny()) {
                    poll.begun();
                }
            }
        }

        /** A message is of two ranks, and the others make no call that they could gather for. */
        private boolean haveAllCome(long comm) {
            return running.turn().call().collective().operation() == Operation.MESSAGE || Gathering.await(process, comm, running::isDropped);
        }

        private void perform(long comm) {
            Plan plan = plan(running);
            try {
                String fault = BlockingCall.perform(plan, process, comm);
                if (!fault.isEmpty()) {
                    running.failed(new Failure(Failure.Kind.MISMATCH, rank, fault));
                    return;
                }
                if (!running.isEnded()) {
                    plan.finish();
                }
            } finally {
                plan.free();
            }
            running.succeed("blocking");
        }
    }

    /** The opening of a group on the worker. */
    private final class OpeningTask implements Worker.Task {

        private final Turn.Opening turn;
        private volatile boolean isGivenUp;

        private OpeningTask(Turn.Opening turn) {
            this.turn = turn;
            openings.put(this, true);
        }

        @Override
        public boolean isGivenUp() {
            return isGivenUp;
        }

        @Override
        public void run() {
            EngineGroup group = turn.group();
            try {
                if (!isGivenUp) {
                    List<Integer> members = group.worldRanks().stream().map(processes::get).toList();
                    comms.put(GroupId.of(group), process.open(members, (int) Math.floorMod(group.id(), (long) TAGS)));
                    turn.sink().done();
                }
            } catch (RuntimeException | Error e) {
                turn.sink().failed(new Failure(Failure.Kind.INTERNAL, rank, "MPI cannot open a group: rank=" + rank + ", group=" + group.id() + ", ranks="
                        + group.worldRanks() + ", open=" + comms.size() + ", cause=" + (e instanceof MpiException ? e.getMessage() : e)
                        + "; close groups that are not needed"));
            } finally {
                openings.remove(this);
            }
        }
    }

    private void free(Turn.Freeing turn) {
        GroupComms freed = comms.remove(GroupId.of(turn.group()));
        try {
            if (freed != null) {
                process.free(freed);
            }
            turn.sink().done();
        } catch (RuntimeException | Error e) {
            turn.sink().failed(new Failure(Failure.Kind.INTERNAL, rank, "MPI cannot free a group: rank=" + rank + ", group=" + turn.group().id() + ", cause=" + e));
        }
    }

    /** What MPI has begun for it may never end, so its communicators are left to the process, and MPI is not ended. */
    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        comms.remove(GroupId.of(group));
        isSpoiled |= cause.kind() != Failure.Kind.CLOSED;
        openings.keySet().stream().filter(each -> GroupId.of(each.turn.group()).equals(GroupId.of(group))).forEach(each -> each.isGivenUp = true);
        tell(running -> running.isOf(group.id(), group.generation()), running -> running.abandon(cause));
        worker.writeOff();
    }

    @Override
    public void closeGroup(EngineGroup group) {
        tell(running -> running.isOf(group.id(), group.generation()), running -> running.leave(Faults.closed(rank, "the group")));
    }

    private void tell(Predicate<Running> which, Consumer<Running> told) {
        rounds.forEach(which, told);
        large.keySet().stream().filter(which).forEach(told);
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        tell(running -> true, running -> running.leave(Faults.closed(rank, "the world")));
        aside.close();
        if (isSpoiled) {
            process.keep(rounds);
            worker.close();
        } else {
            worker.add(new LastRounds(rounds, process));
            process.end();
        }
    }
}
