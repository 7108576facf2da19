package io.reactivecomm.sequence;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import io.reactivecomm.spi.engine.OrderedEngine;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.scheduler.Schedulers;

/**
 * An engine that needs one order of calls, with what brings that order about. Ranks subscribe to their calls in whatever order, from any
 * thread, and the {@link OrderedEngine} behind sees the same order on all ranks, across all groups.
 *
 * <p>Rank 0 of the world decides, for each engine apart. Every rank, rank 0 included, is a {@link Member}: it tells the {@link Leader} what
 * is ready. The leader announces what is ready on all members of its group, in batches, and each rank begins its share of them in that
 * order. Five ranks, a group g of all and a group h of ranks 3 and 4:
 *
 * <pre>
 *   rank 0   subscribes g#0            ┐                       ┌ batch 0: h#0        ┌ batch 1: g#0, g#1
 *   rank 1   subscribes g#1, g#0       │  Ready: identity,     │   to ranks 3 and 4  │   to all
 *   rank 2   subscribes g#0, g#1       ├─ signature, priority ─&gt; leader             ─&gt;
 *   rank 3   subscribes h#0, g#1, g#0  │                       │ g#1 is not ready on │ when rank 0 has subscribed
 *   rank 4   subscribes g#0, h#0, g#1  ┘                       └ rank 0 yet          └ to g#1 too
 * </pre>
 *
 * <p><b>Why nobody waits for ever.</b> A call takes its place only when all its members have subscribed to it. So a call that some rank
 * subscribes to only after another has completed never has a place before that one. No call of a batch waits for a subscription still
 * to come. All ranks work off subsequences of one sequence. The first call in it that has not completed is at the head of the work of each
 * of its members, and can complete.
 *
 * <p><b>What it costs.</b> A notice from each member to rank 0 and one back, which carries all that became ready together. Batches are
 * pipelined, so calls in flight hide the way there and back. A call that recurs is announced by a slot of its group's {@link RecentNames},
 * in some four bytes. The notice to rank 0 has its name and signature each time, some sixty bytes. Ranks are ready in orders of their own,
 * so rank 0 would need a ring for each rank and group to read less.
 *
 * <p><b>Priority</b> orders what becomes ready at the same time, and holds nothing back. Where ranks differ, the most urgent counts.
 *
 * <p><b>Memory.</b> A call that shares memory with an earlier one in flight, on any member, is a batch of its own, behind what becomes ready at the same time. Engines may
 * do the calls of a batch in any order.
 *
 * <p><b>Errors.</b> Different signatures under one identity fail the call, with who called what, on every rank whose call is unfinished. So
 * does a call that a rank refuses, or that one gives up at its deadline. What has been announced belongs to the engine behind. If that
 * fails it, or does not end it by its deadline, or a rank turns out not to take part, the whole group ends on all its members. None
 * of them can take back what it has begun. So it ends if the engine fails to open it. Without rank 0 there is no order, and no call of any group.
 *
 * <p><b>Groups.</b> Where the engine has a {@link io.reactivecomm.spi.engine.Formation}, a group's first call brings its opening into the order, on all ranks that take
 * part in it, members or not; its calls follow when those have done their part. When all members have closed it, its freeing comes into the order. The world's own
 * group is opened and freed with the engine.
 *
 * <p><b>Composite calls.</b> The identity of a call in one has that of the run. When a run fails, or is over on a rank that others wait for, what
 * waits in it fails on all ranks; what has been announced runs to its end. A run that ends well costs no notice.
 *
 * <p><b>Messages</b> are calls of two members: each end counts those of its name, tag and other end. A receive from any is paired with the first
 * message that is ready for it, and hears of the sender with its turn.
 *
 * <p><b>Threads.</b> Any. One queue serializes what happens, on the thread of whoever comes first; nothing in there blocks. Notices travel
 * over the control group's links.
 *
 * <p><b>Source.</b> Horovod's coordinator and response cache (horovod/common, controller.cc and response_cache.cc). Theirs meets in cycles,
 * with all ranks of the world in each; here a notice leaves when there is something to say, to those who need it.
 */
public final class SequencedEngine implements CollectiveEngine {

    /** How long {@link #close} waits for its last notices to be taken: as long as a group waits for its last frames. */
    private static final long FLUSH_NANOS = 1_000_000_000L;

    private static final Logger LOG = WarningLog.of(SequencedEngine.class);

    private final String name;
    private final OrderedEngine engine;
    private final int rank;
    private final DrainLoop tasks = DrainLoop.ofTasks(this::afterRound, this::fault);
    private final EngineTurns turns;
    private final Member member;
    /** On rank 0. */
    private final @Nullable Leader leader;
    /** To all others on rank 0, to rank 0 elsewhere. */
    private final Map<Integer, NoticeChannel> wires = new TreeMap<>();

    private final CountDownLatch flushed;
    private final SequencerClock timer;
    private final AlarmClock alarm;
    private volatile GroupListener groups = (id, cause) -> {};
    private boolean closed;
    private boolean faulty;

    private SequencedEngine(String name, ProcessGroup control, OrderedEngine engine, SequencerClock timer) {
        this.name = name;
        this.engine = engine;
        this.rank = control.rank();
        this.timer = timer;
        this.alarm = new AlarmClock(timer, tasks, this::onAlarm);
        int worldSize = control.size();
        this.turns = new EngineTurns(name, rank, engine, tasks);
        this.member = new Member(rank, RecentNames.SLOTS, new MemberEffects());
        this.leader =
                rank == Leader.RANK ? new Leader(worldSize, RecentNames.SLOTS, engine.formation(), this::mail) : null;
        this.flushed = new CountDownLatch(leader == null ? 1 : worldSize - 1);
        ProcessGroup notices = control.named(name + "\u0001order");
        for (int peer = 0; peer < worldSize; peer++) {
            if (peer != rank && (peer == Leader.RANK || rank == Leader.RANK)) {
                wires.put(peer, new NoticeChannel(notices, peer, tasks, new Incoming(peer), () -> flushed.countDown()));
            }
        }
    }

    /**
     * {@return the engine behind a sequencer, for one rank; all ranks of the world make theirs}
     *
     * @param name the engine's, as its {@link io.reactivecomm.spi.engine.EngineProvider} has it
     * @param control the group that the provider got
     */
    public static CollectiveEngine of(String name, ProcessGroup control, OrderedEngine engine) {
        return of(name, control, engine, SequencerClock.SYSTEM);
    }

    /** With another clock than the machine's. */
    static CollectiveEngine of(String name, ProcessGroup control, OrderedEngine engine, SequencerClock timer) {
        SequencedEngine sequenced = new SequencedEngine(name, control, engine, timer);
        sequenced.tasks.execute(() -> sequenced.wires.values().forEach(NoticeChannel::start));
        LOG.info(
                "calls are put into one order: engine={}, rank={}, worldSize={}, leader={}",
                name,
                control.rank(),
                control.size(),
                Leader.RANK);
        return sequenced;
    }

    @Override
    public @Nullable DeviceMemory memory() {
        return engine.memory();
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return engine.refusal(group, kind);
    }

    @Override
    public void requireUsable(EngineGroup group, Collective call) {
        engine.requireUsable(group, call);
    }

    @Override
    public boolean enqueues() {
        return engine.enqueues();
    }

    /** Work that is enqueued on a tensor runs behind earlier work there, and all ranks enqueue in the order of the turns. */
    @Override
    public boolean isOrderedByDevice() {
        return engine.enqueues();
    }

    @Override
    public void whenGroupFails(GroupListener told) {
        groups = told;
    }

    @Override
    public void submit(EngineCall call, Sink sink) {
        long now = timer.nanoTime();
        tasks.add(() -> member.submit(call, sink, now));
    }

    /** Notices of calls that begin together leave together, and so do those that become ready by them. */
    @Override
    public void submitted() {
        tasks.run();
    }

    @Override
    public void refused(EngineGroup group, CallKey key, Failure cause) {
        tasks.execute(() -> member.refused(group, key, cause));
    }

    @Override
    public void fail(EngineGroup group, CallKey key, Failure cause) {
        tasks.execute(() -> member.fail(key, cause));
    }

    @Override
    public void sentElsewhere(EngineGroup group, CallKey.Message message, Failure cause) {
        tasks.execute(() -> member.sentElsewhere(group, message, cause));
    }

    @Override
    public void compositeOver(EngineGroup group, CallKey.Ticket run, Function<String, Failure> cause) {
        tasks.execute(() -> {
            if (!closed) {
                member.compositeOver(run, cause);
            }
        });
    }

    @Override
    public void compositeFailed(EngineGroup group, CallKey.Ticket run, Failure cause) {
        tasks.execute(() -> {
            if (!closed) {
                member.compositeFailed(run, cause);
            }
        });
    }

    @Override
    public void stepped(EngineGroup group) {
        tasks.execute(() -> {
            if (!closed) {
                member.stepped(group);
            }
        });
    }

    @Override
    public void failGroup(EngineGroup group, Failure cause) {
        tasks.execute(() -> {
            if (!closed) {
                member.failGroup(group, cause);
            }
        });
    }

    @Override
    public void closeGroup(EngineGroup group) {
        tasks.execute(() -> {
            if (!closed) {
                member.closeGroup(group);
                turns.close(group, member.running(group));
            }
        });
    }

    /**
     * Ends the engine. Off the loop it waits for the others to have taken its last notices, so that they know that it left in good order,
     * and rank 0's last batches. Those have receives posted for them and take them in their loop's next turn, also if they have closed
     * before or have calls that go on. So it takes the way there and back. Only a rank whose loop is held, or that is gone and not known to
     * be, is waited for as long as a second. The links, which have as much to say to that rank, wait once more as long.
     */
    @Override
    public void close() {
        tasks.execute(() -> {
            if (!closed) {
                closed = true;
                member.close();
                if (leader != null) {
                    // After what the member has just said to it.
                    tasks.execute(leader::close);
                }
                wires.values().forEach(NoticeChannel::close);
                turns.close(member.running());
            }
        });
        if (!Schedulers.isInNonBlockingThread()) {
            awaitFlushed();
        }
    }

    private void awaitFlushed() {
        try {
            if (!flushed.await(FLUSH_NANOS, TimeUnit.NANOSECONDS)) {
                LOG.warn("last notices were not taken in time: engine={}, rank={}", name, rank);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void mail(int worldRank, Notice notice) {
        if (worldRank == rank) {
            tasks.execute(() -> member.take(notice));
        } else {
            wire(worldRank).send(notice);
        }
    }

    private NoticeChannel wire(int worldRank) {
        NoticeChannel wire = wires.get(worldRank);
        if (wire == null) {
            throw new IllegalArgumentException(
                    "no notices are exchanged with that rank: rank=" + rank + ", peer=" + worldRank);
        }
        return wire;
    }

    private void afterRound() {
        if (leader != null) {
            leader.announce();
        }
        wires.values().forEach(NoticeChannel::flush);
        if (closed) {
            alarm.stop();
        } else {
            alarm.set(Math.min(member.next(), leader == null ? Leader.NEVER : leader.next()));
        }
    }

    private void onAlarm() {
        long now = timer.nanoTime();
        if (!closed) {
            member.time(now);
            if (leader != null) {
                leader.time(now);
            }
        }
    }

    /** Nobody may be left waiting for a machine that cannot go on. What is fatal to the JVM is thrown on, when the rounds that are due have run. */
    private void fault(Throwable error) {
        LOG.error("an engine failed; its calls fail: engine={}, rank={}", name, rank, ErrorTexts.printable(error));
        if (!closed && !faulty) {
            faulty = true;
            Failure cause = FailureTexts.fault(rank, name, error);
            tasks.execute(() -> member.giveUp(cause));
            Leader own = leader;
            if (own != null) {
                tasks.execute(() -> own.close(cause));
            }
        }
        if (EngineTurns.isFatal(error)) {
            throw (Error) error;
        }
    }

    /** The receiver of one other rank's notices. */
    private final class Incoming implements NoticeChannel.Reader {

        private final int peer;

        private Incoming(int peer) {
            this.peer = peer;
        }

        @Override
        public void take(Notice notice) {
            if (leader != null) {
                leader.take(peer, notice, timer.nanoTime());
            } else {
                member.take(notice);
            }
        }

        @Override
        public void down(String cause) {
            if (leader != null) {
                leader.gone(peer, FailureTexts.lost(peer, cause), true);
            } else {
                member.leaderGone(FailureTexts.leaderLost(cause), true);
            }
        }
    }

    private final class MemberEffects implements Member.Effects {

        @Override
        public void send(Notice notice) {
            Leader own = leader;
            if (own != null) {
                tasks.execute(() -> own.take(rank, notice, timer.nanoTime()));
            } else {
                wire(Leader.RANK).send(notice);
            }
        }

        @Override
        public void run(List<MemberCall> batch) {
            turns.run(batch, member);
        }

        @Override
        public void open(GroupOpening opening) {
            turns.open(opening, member);
        }

        @Override
        public void free(GroupOpening opening) {
            turns.free(opening, member);
        }

        @Override
        public void fail(Sink sink, Failure cause) {
            sink.failed(cause);
        }

        @Override
        public void failRun(Sink sink, CallKey.Ticket run, Failure cause) {
            sink.runFailed(run, cause);
        }

        @Override
        public void abandon(EngineGroup group, Failure cause, List<MemberCall> running) {
            turns.abandon(group, cause, running);
        }

        @Override
        public void failed(GroupKey group, Failure cause) {
            groups.failed(group.id(), cause);
        }

        @Override
        public void warn(String text) {
            LOG.warn(text);
        }
    }
}
