package io.reactivecomm.internal.driver;

import io.reactivecomm.LogRank;
import io.reactivecomm.internal.stream.ResultLoop;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Loop;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * The news for subscribers that no event of the engine brings: results that were there before their demand, and that the world has died while
 * user code stood between two calls of theirs.
 *
 * <p><b>Threads.</b> {@link #end} and {@link #worldDied} on the loop, or where there is none any more; the rest any.
 */
final class Answers implements ResultLoop {

    private final Loop loop;
    private final int rank;
    private final LogRank logRank;
    private final Inflow<Runnable> asked;
    private final Set<Awaited> held = ConcurrentHashMap.newKeySet();
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    /** Of the late ones, those that have not been answered. */
    private final AtomicInteger lateLeft = new AtomicInteger();

    /** @param rank whose loop it is, or one of several ranks @param logRank what its threads have in the log's context */
    Answers(Loop loop, int rank, LogRank logRank) {
        this.loop = loop;
        this.rank = rank;
        this.logRank = logRank;
        this.asked = new Inflow<>(loop, this::answerAll, this::answerLate);
    }

    @Override
    public void execute(Runnable answer) {
        asked.add(answer);
    }

    /** The other thread works for several ranks. */
    @Override
    public <T> void aside(Supplier<T> work, Consumer<? super T> done, Consumer<? super Throwable> failed) {
        ResultLoop.super.aside(() -> logRank.get(work), done, failed);
    }

    private void answerAll() {
        try {
            logRank.enter();
            for (Runnable next = asked.poll(); next != null; next = asked.poll()) {
                next.run();
            }
        } catch (Exception | Error e) {
            loop.fatalErrors().tell(e, rank);
        } finally {
            asked.taken(false);
        }
    }

    /** There is no loop any more whose order keeps two threads apart: who comes first answers for those who come meanwhile. */
    private void answerLate(Runnable answer) {
        late.add(answer);
        if (lateLeft.getAndIncrement() == 0) {
            Throwable fatal = null;
            do {
                Throwable thrown = thrownBy(late.remove());
                fatal = fatal == null ? thrown : fatal;
            } while (lateLeft.decrementAndGet() > 0);
            if (fatal != null) {
                Exceptions.throwIfJvmFatal(fatal);
            }
        }
    }

    /** {@return what is fatal: all else was dropped where it was thrown} */
    private static @Nullable Throwable thrownBy(Runnable answer) {
        try {
            answer.run();
            return null;
        } catch (Exception | Error e) {
            return e;
        }
    }

    /** The loop takes no further turn: what is asked from here on is answered by the thread that asks. */
    void end() {
        asked.end();
    }

    @Override
    public void hold(Awaited awaited) {
        held.add(awaited);
    }

    @Override
    public void letGo(Awaited awaited) {
        held.remove(awaited);
    }

    /** Tells those who are held, also if one of them dies of it in turn. */
    void worldDied(Failure failure) {
        for (Awaited each : held) {
            letGo(each);
            execute(() -> each.worldDied(failure.toException()));
        }
    }
}
