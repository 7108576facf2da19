package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.OrderedEngine;
import io.reactivecomm.spi.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of turns to the engine behind, whatever it does with them: what throws has failed. */
final class EngineTurns {

    private static final Logger LOG = LoggerFactory.getLogger(EngineTurns.class);

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
        List<Turn.Call> calls = new ArrayList<>();
        batch.forEach(entry -> calls.add(new Turn.Call(entry.call(), new CallCompletion(entry, member, tasks))));
        try {
            engine.run(List.copyOf(calls));
        } catch (RuntimeException e) {
            calls.forEach(call -> call.sink().failed(fault(e)));
        }
    }

    /** The turn of an opening has come. */
    void open(GroupOpening opening, Member member) {
        OpeningCompletion end = new OpeningCompletion(opening, member, tasks);
        try {
            engine.run(List.of(new Turn.Opening(opening.group(), opening.from(), end)));
        } catch (RuntimeException e) {
            end.failed(fault(e));
        }
    }

    /** The turn of a freeing has come. */
    void free(GroupOpening opening, Member member) {
        OpeningCompletion end = new OpeningCompletion(opening, member, tasks);
        try {
            engine.run(List.of(new Turn.Freeing(opening.group(), end)));
        } catch (RuntimeException e) {
            end.failed(fault(e));
        }
    }

    private Failure fault(RuntimeException error) {
        LOG.error("an engine threw: engine={}, rank={}", name, rank, error);
        return FailureTexts.fault(rank, name, error);
    }
}
