package io.reactivecomm.sequence;

import io.reactivecomm.Handle;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.MonitoredBarrier;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.EngineCall;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One rank: its program, its member and its engine. */
final class FuzzRank implements Member.Effects {

    private static final Duration LONG = Duration.ofSeconds(1000);
    private static final Duration SHORT = Duration.ofSeconds(12);

    private final FuzzWorld world;
    private final int rank;
    private final Member member;
    private final FuzzEngine engine;
    private final FuzzRuns runs;
    private final Map<Integer, List<FuzzPlan.Start>> dependent = new HashMap<>();
    /** How calls ended by number; null is success. */
    private final Map<Integer, @Nullable Failure> ends = new HashMap<>();
    private final List<Integer> begun = new ArrayList<>();
    private final Map<Integer, Long> begunAt = new HashMap<>();
    private final Map<Integer, Long> endedAt = new HashMap<>();
    /** Calls that were not made because a composite had failed. */
    private final Set<Integer> refused = new HashSet<>();
    private boolean dead;
    private boolean left;
    private long timerAt = Leader.NEVER;

    FuzzRank(FuzzWorld world, int rank) {
        this.world = world;
        this.rank = rank;
        this.member = new Member(rank, world.plan().slots(), this);
        this.engine = new FuzzEngine(world, rank);
        this.runs = new FuzzRuns(world, rank, member);
    }

    FuzzEngine engine() {
        return engine;
    }

    Member member() {
        return member;
    }

    FuzzRuns runs() {
        return runs;
    }

    Set<Integer> refused() {
        return refused;
    }

    Map<Integer, @Nullable Failure> ends() {
        return ends;
    }

    List<Integer> begun() {
        return begun;
    }

    /** {@return how long a call took to end, from when it was made or something happened, whichever was later} */
    long tookSince(long happenedAt, int number) {
        return endedAt.get(number) - Math.max(happenedAt, begunAt.get(number));
    }

    boolean isGone() {
        return dead || left;
    }

    boolean isDead() {
        return dead;
    }

    void start() {
        for (FuzzPlan.Start start : world.plan().starts().get(rank)) {
            if (start.after() < 0) {
                world.at(start.at(), () -> begin(start.call()));
            } else {
                dependent.computeIfAbsent(start.after(), ignored -> new ArrayList<>()).add(start);
            }
        }
    }

    /** Something happens to the rank, if it is still there. */
    void event(Runnable event) {
        if (!dead) {
            event.run();
            long next = member.next();
            if (next < timerAt) {
                timerAt = next;
                world.at(next, () -> {
                    timerAt = Leader.NEVER;
                    event(() -> member.time(world.now()));
                });
            }
        }
    }

    private void begin(int number) {
        event(() -> {
            FuzzPlan plan = world.plan();
            FuzzPlan.Call call = plan.calls().get(number);
            EngineGroup group = plan.group(call.group(), rank);
            boolean isOpen = runs.isOpen(number);
            if (!isOpen || plan.trouble(FuzzPlan.Kind.MISSING, rank, number) != null) {
                if (!isOpen) {
                    refused.add(number);
                }
                runs.made(number);
                runs.ended(number);
                proceed(number);
                return;
            }
            begun.add(number);
            begunAt.put(number, world.now());
            if (plan.trouble(FuzzPlan.Kind.REFUSED, rank, number) != null) {
                Failure refusal = new Failure(Failure.Kind.INVALID, rank, "refused");
                member.refused(group, call.key(), refusal);
                runs.made(number);
                ended(number, refusal);
                return;
            }
            boolean other = plan.trouble(FuzzPlan.Kind.MISMATCH, rank, number) != null;
            boolean waitsInVain = plan.troubles().stream().anyMatch(each -> each.kind() == FuzzPlan.Kind.MISSING && each.call() == number);
            Collective collective = other ? new MonitoredBarrier(true) : new Barrier();
            EngineCall submitted = new EngineCall(group, call.key().step(), call.key().name(), call.key().ticket(), call.key().ordinal(),
                    worded(call.key().enclosure()), collective, waitsInVain ? SHORT : LONG, call.priority(), false);
            member.submit(submitted, sink(number), world.now());
            runs.made(number);
        });
    }

    /** {@return an enclosure as this rank has it, which may take its composite for another} */
    private @Nullable Enclosure worded(@Nullable Enclosure enclosure) {
        if (enclosure == null) {
            return null;
        }
        CallKey.Ticket run = enclosure.run();
        boolean differs = world.plan().troubles().stream().anyMatch(trouble -> trouble.kind() == FuzzPlan.Kind.RUN_DIFFERS
                && trouble.rank() == rank && run.equals(world.plan().run(trouble)));
        CallKey.Ticket outer =
                new CallKey.Ticket(run.generation(), run.group(), run.step(), run.name(), run.ticket(), run.ordinal(), worded(run.enclosure()));
        return new Enclosure(outer, enclosure.operation(), differs ? "other" : enclosure.words());
    }

    private CollectiveEngine.Sink sink(int number) {
        return new CollectiveEngine.Sink() {
            @Override
            public void succeeded(Completion completion) {
                ended(number, null);
            }

            @Override
            public void failed(Failure failure, Handle hands) {
                ended(number, failure);
            }

            @Override
            public void runFailed(CallKey.Ticket run, Failure failure) {
                runs.fail(run, failure);
                ended(number, failure);
            }
        };
    }

    private void ended(int number, @Nullable Failure failure) {
        if (ends.containsKey(number)) {
            throw new AssertionError("ended twice: rank=" + rank + ", call=" + number);
        }
        ends.put(number, failure);
        endedAt.put(number, world.now());
        runs.ended(number);
        world.tell(rank, "ended " + world.plan().calls().get(number).key().label() + (failure == null ? "" : ": " + failure.text()));
        proceed(number);
        closeIfLast(world.plan().calls().get(number).group());
        if (world.plan().departs() && rank != Leader.RANK && ends.size() + refused.size() == world.plan().starts().get(rank).size()) {
            world.later(this::leave);
        }
    }

    private void closeIfLast(int group) {
        FuzzPlan plan = world.plan();
        boolean last = plan.starts().get(rank).stream()
                .filter(start -> plan.calls().get(start.call()).group() == group)
                .allMatch(start -> ends.containsKey(start.call()) || refused.contains(start.call()));
        if (last && plan.closing() == FuzzPlan.Closing.AT_ONCE) {
            closeGroup(plan.group(group, rank));
        } else if (last && plan.closing() == FuzzPlan.Closing.LATER) {
            world.later(() -> closeGroup(plan.group(group, rank)));
        }
    }

    private void proceed(int number) {
        for (FuzzPlan.Start start : dependent.getOrDefault(number, List.of())) {
            world.at(world.now() + start.at(), () -> begin(start.call()));
        }
    }

    /** The engine has ended a call. */
    void end(MemberCall entry, @Nullable Failure failure) {
        CallCompletion ending = new CallCompletion("test", entry, member, this::event);
        if (failure == null) {
            ending.succeeded(Completion.of(""));
        } else {
            ending.failed(failure);
        }
    }

    void die() {
        dead = true;
        engine.die();
    }

    void leave() {
        event(() -> {
            left = true;
            member.close();
            engine.close(FailureTexts.closed(rank));
        });
    }

    void closeGroup(EngineGroup group) {
        event(() -> {
            member.closeGroup(group);
            engine.closeGroup(GroupKey.of(group), FailureTexts.closed(rank));
        });
    }

    /** The engine has ended an opening or a freeing. */
    void end(GroupOpening opening, @Nullable Failure failure) {
        OpeningCompletion ending = new OpeningCompletion("test", opening, member, this::event);
        if (failure == null) {
            ending.done();
        } else {
            ending.failed(failure);
        }
    }

    @Override
    public void open(GroupOpening opening) {
        world.tell(rank, "opens " + opening.group() + " from " + opening.from());
        engine.open(opening);
    }

    @Override
    public void free(GroupOpening opening) {
        world.tell(rank, "frees " + opening.group().id());
        engine.free(opening);
    }

    @Override
    public void send(Notice notice) {
        world.tellLeader(rank, notice);
    }

    @Override
    public void run(List<MemberCall> batch) {
        batch.forEach(entry -> world.tell(rank, "begins " + entry.call().group().id() + ":" + entry.key().label()));
        engine.run(batch);
    }

    @Override
    public void fail(CollectiveEngine.Sink sink, Failure cause) {
        sink.failed(cause);
    }

    @Override
    public void failRun(CollectiveEngine.Sink sink, CallKey.Ticket run, Failure cause) {
        sink.runFailed(run, cause);
    }

    @Override
    public void abandon(EngineGroup group, Failure cause, List<MemberCall> running) {
        world.tell(rank, "abandons " + group.id() + ": " + cause.text());
        engine.abandon(group, cause);
    }

    @Override
    public void failed(GroupKey group, Failure cause) {}

    @Override
    public void warn(String text) {
        world.tell(rank, text);
    }
}
