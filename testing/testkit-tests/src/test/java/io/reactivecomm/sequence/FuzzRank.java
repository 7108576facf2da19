package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** One rank: its program, its member and its engine. */
final class FuzzRank implements Member.Effects {

    private final FuzzWorld world;
    private final int rank;
    private final Member member;
    private final FuzzEngine engine;
    private final FuzzProgram program;
    /** What happens to it within something that happens. */
    private final Queue<Runnable> events = new ArrayDeque<>();

    private boolean isBusy;
    private boolean dead;
    private boolean left;
    private long timerAt = Leader.NEVER;

    FuzzRank(FuzzWorld world, int rank) {
        this.world = world;
        this.rank = rank;
        this.member = new Member(rank, world.plan().slots(), this);
        this.engine = new FuzzEngine(world, rank);
        this.program = new FuzzProgram(world, this, rank);
    }

    FuzzEngine engine() {
        return engine;
    }

    Member member() {
        return member;
    }

    FuzzProgram program() {
        return program;
    }

    EngineGroup group(int number) {
        return world.plan().group(number, rank, program);
    }

    boolean isGone() {
        return dead || left;
    }

    boolean isDead() {
        return dead;
    }

    /** Something happens to the rank, if it is still there: after what is happening to it. */
    void event(Runnable event) {
        events.add(event);
        if (!isBusy) {
            isBusy = true;
            while (!dead && !events.isEmpty()) {
                events.remove().run();
            }
            isBusy = false;
            setTimer();
        }
    }

    private void setTimer() {
        long next = dead ? Leader.NEVER : member.next();
        if (next < timerAt) {
            timerAt = next;
            world.at(next, () -> {
                timerAt = Leader.NEVER;
                event(() -> member.time(world.now()));
            });
        }
    }

    /** The engine has ended a call. */
    void end(FuzzEngine.Given entry, @Nullable Failure failure) {
        if (failure == null) {
            program.met(entry.number(), entry.key());
            entry.end().succeeded(Completion.of(""));
        } else {
            entry.end().failed(failure);
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

    /** As the driver does, to an engine that may throw. */
    @Override
    public void run(List<MemberCall> batch) {
        List<FuzzEngine.Given> given = new ArrayList<>();
        for (MemberCall entry : batch) {
            world.tell(
                    rank,
                    "begins " + entry.call().group().id() + ":"
                            + entry.call().key().label());
            CallCompletion end = new CallCompletion("test", entry, member, this::event);
            entry.handOn(end);
            given.add(program.given(entry, end));
        }
        try {
            engine.run(given);
        } catch (FuzzEngine.Thrown e) {
            world.tell(rank, "throws");
            given.forEach(entry -> program.thrown().add(entry.number()));
            batch.forEach(entry -> entry.forsake(new Failure(Failure.Kind.INTERNAL, rank, "thrown")));
            world.meet();
        }
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
