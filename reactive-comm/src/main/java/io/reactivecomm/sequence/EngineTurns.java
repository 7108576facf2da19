package io.reactivecomm.sequence;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;

/**
 * The way of turns, and of the ends of groups, to the engine behind, whatever it does with them. What it throws ends what it was told of, with that cause; it
 * may have begun calls before it threw, and has its hands in their tensors until it ends them itself. An error that is fatal to the JVM is thrown on, in a
 * task of its own, when all that has been dealt with.
 */
final class EngineTurns {

    private static final Logger LOG = WarningLog.of(EngineTurns.class);

    private final String name;
    private final int rank;
    private final OrderedEngine engine;
    private final Executor tasks;

    EngineTurns(String name, int rank, OrderedEngine engine, Executor tasks) {
        this.name = name;
        this.rank = rank;
        this.engine = engine;
        this.tasks = tasks;
    }

    /** The turns of calls have come. */
    void run(List<MemberCall> batch, Member member) {
        List<Turn> calls = new ArrayList<>();
        for (MemberCall entry : batch) {
            CallCompletion end = new CallCompletion(name, entry, member, tasks);
            entry.handOn(end);
            calls.add(new Turn.Call(entry.call(), end));
        }
        try {
            engine.run(List.copyOf(calls));
        } catch (Exception | Error e) {
            forsake(batch, e);
        }
    }

    /** The turn of an opening has come. */
    void open(GroupOpening opening, Member member) {
        OpeningCompletion end = new OpeningCompletion(name, opening, member, tasks);
        run(new Turn.Opening(opening.group(), opening.from(), end));
    }

    /** The turn of a freeing has come. */
    void free(GroupOpening opening, Member member) {
        OpeningCompletion end = new OpeningCompletion(name, opening, member, tasks);
        run(new Turn.Freeing(opening.group(), end));
    }

    private void run(Turn turn) {
        try {
            engine.run(List.of(turn));
        } catch (Exception | Error e) {
            Failure cause = fault(e);
            switch (turn) {
                case Turn.Opening opening -> opening.sink().failed(cause);
                case Turn.Freeing freeing -> freeing.sink().failed(cause);
                case Turn.Call call -> call.sink().failed(cause);
            }
        }
    }

    /** A group has failed. @param running its calls that the engine was given */
    void abandon(EngineGroup group, Failure cause, List<MemberCall> running) {
        try {
            engine.abandonGroup(group, cause);
        } catch (Exception | Error e) {
            forsake(running, e);
        }
    }

    /** This rank has closed a group. @param running its calls that the engine was given */
    void close(EngineGroup group, List<MemberCall> running) {
        try {
            engine.closeGroup(group);
        } catch (Exception | Error e) {
            forsake(running, e);
        }
    }

    /** This rank leaves the world, and nobody waits for what the engine has not ended by then. @param running all calls that the engine was given */
    void close(List<MemberCall> running) {
        try {
            engine.close();
        } catch (Exception | Error e) {
            forsake(running, e);
        }
        running.forEach(call -> call.forsake(FailureTexts.closed(rank)));
    }

    private void forsake(List<MemberCall> calls, Throwable error) {
        Failure cause = fault(error);
        List.copyOf(calls).forEach(call -> call.forsake(cause));
    }

    private Failure fault(Throwable error) {
        Thrown.keepInterrupt(error);
        LOG.error("an engine threw: engine={}, rank={}", name, rank, ErrorTexts.printable(error));
        if (isFatal(error)) {
            tasks.execute(() -> {
                throw (Error) error;
            });
        }
        return FailureTexts.fault(rank, name, error);
    }

    /** {@return whether the JVM itself is not sound any more} A stack that has overflowed is empty again, and a library that is missing is no matter of others. */
    static boolean isFatal(Throwable error) {
        return error instanceof VirtualMachineError && !(error instanceof StackOverflowError);
    }
}
