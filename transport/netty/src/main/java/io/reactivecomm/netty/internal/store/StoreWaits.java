package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests that one rank waits for at the store: the value of a key, several keys, a value of a queue. Each wait ends with its reply,
 * at its deadline, when the rank cancels it, or with the connection.
 *
 * <p><b>Errors.</b> An {@link IllegalArgumentException} with the sentence for the requester.
 *
 * <p><b>Threads.</b> The store's.
 */
final class StoreWaits {

    /** Names that one rank may wait for at a time. */
    static final int MAX_NAMES = 4096;

    /** Before a wait is known under its id it has nothing to withdraw. */
    private static final Runnable NOTHING = () -> {};

    private final StoreContents contents;
    private final Timers timers;
    private final EventExecutor executor;
    private final int rank;
    private final Consumer<StorePacket> reply;
    private final Map<Long, Wait> waits = new HashMap<>();
    private int names;

    private static final class Wait {

        private final int names;
        private Runnable withdraw = NOTHING;
        private Loop.Timer deadline = () -> {};

        Wait(int names) {
            this.names = names;
        }
    }

    /** @param rank who waits, for messages */
    StoreWaits(StoreContents contents, Timers timers, EventExecutor executor, int rank, Consumer<StorePacket> reply) {
        this.contents = contents;
        this.timers = timers;
        this.executor = executor;
        this.rank = rank;
        this.reply = reply;
    }

    /** Waits for the value of a key, as long as the rank likes. */
    void get(long id, String key) {
        Wait wait = begin(id, 1);
        StoreTable.Waiter waiter = value -> {
            end(id);
            reply.accept(StorePacket.of(StorePacket.VALUE, id, value));
        };
        wait.withdraw = () -> contents.table().forget(key, waiter);
        contents.table().get(key, waiter);
    }

    /** Waits until each of those keys has been set. */
    void await(long id, List<String> keys, long patienceMillis) {
        Map<String, StoreTable.Waiter> missing = new LinkedHashMap<>();
        for (String key : keys) {
            if (!contents.table().hasAll(List.of(key))) {
                missing.put(key, _ -> found(id, key, missing));
            }
        }
        if (missing.isEmpty()) {
            reply.accept(StorePacket.of(StorePacket.NONE, id, 0));
            return;
        }
        Wait wait = begin(id, missing.size());
        wait.withdraw = () -> missing.forEach(contents.table()::forget);
        missing.forEach(contents.table()::get);
        wait.deadline = expire(
                id,
                patienceMillis,
                () -> "keys were not set in the store: missing=" + NameList.text(missing.keySet())
                        + facts(patienceMillis) + "; check the ranks that set them, or wait longer");
    }

    private void found(long id, String key, Map<String, StoreTable.Waiter> missing) {
        missing.remove(key);
        if (missing.isEmpty()) {
            end(id);
            reply.accept(StorePacket.of(StorePacket.NONE, id, 0));
        }
    }

    /** Waits for a value in a queue. */
    void pop(long id, String queue, long patienceMillis) {
        Wait wait = begin(id, 1);
        StoreQueues.Taker taker = value -> {
            end(id);
            reply.accept(new StorePacket(StorePacket.ITEM, id, 0, queue.getBytes(UTF_8), value, new byte[0]));
        };
        wait.withdraw = () -> contents.queues().forget(queue, taker);
        contents.queues().pop(queue, taker);
        if (waits.get(id) == wait) {
            wait.deadline = expire(
                    id,
                    patienceMillis,
                    () -> "nothing came into a queue of the store: queue=" + queue + facts(patienceMillis)
                            + "; check the rank that pushes, or wait longer");
        }
    }

    /** Waits for somebody who watches the job. @param owner stands for the rank on the board */
    void watched(long id, Object owner) {
        Wait wait = begin(id, 1);
        wait.withdraw = () -> contents.board().forget(owner);
        contents.board()
                .await(
                        owner,
                        every -> {
                            end(id);
                            reply.accept(StorePacket.of(StorePacket.SUM, id, every.toMillis()));
                        },
                        timers.nanoTime());
    }

    private String facts(long patienceMillis) {
        return ", rank=" + rank + ", waited=" + patienceMillis / 1000.0 + " s";
    }

    private Wait begin(long id, int count) {
        if (waits.containsKey(id)) {
            // The table would keep the first waiter for ever.
            throw new ProtocolException("request repeats the id of one that waits: id=" + id + ", rank=" + rank);
        }
        if (names + count > MAX_NAMES) {
            throw new IllegalArgumentException("too many waits on the store: rank=" + rank + ", names=" + names
                    + ", more=" + count + ", most=" + MAX_NAMES + "; await fewer at a time");
        }
        Wait wait = new Wait(count);
        waits.put(id, wait);
        names += count;
        return wait;
    }

    private Loop.Timer expire(long id, long patienceMillis, Supplier<String> text) {
        long patience = Timers.nanos(Duration.ofMillis(Math.max(0, patienceMillis)));
        return timers.schedule(
                executor,
                () -> {
                    String late = text.get();
                    cancel(id);
                    reply.accept(StorePacket.failed(id, late));
                },
                patience);
    }

    /** Forgets a wait, if there still is one of that id. */
    void cancel(long id) {
        Wait wait = end(id);
        if (wait != null) {
            wait.withdraw.run();
        }
    }

    private @Nullable Wait end(long id) {
        Wait wait = waits.remove(id);
        if (wait != null) {
            names -= wait.names;
            wait.deadline.cancel();
        }
        return wait;
    }

    /** Forgets all: their connection has ended. */
    void close() {
        List.copyOf(waits.keySet()).forEach(this::cancel);
    }
}
