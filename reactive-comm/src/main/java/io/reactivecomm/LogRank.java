package io.reactivecomm;

import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The entries of a rank in the log's diagnostic context, SLF4J's MDC: {@value #RANK} is its number in the world, {@value #WORLD} how many ranks that
 * has. A pattern such as {@code %X{rcomm.rank}/%X{rcomm.world}} shows them.
 *
 * <p>The library's own threads have them: a rank's loop, and with it whatever is told there; its heartbeats; and those beside the loop for as
 * long as they work for it. A program's threads, Reactor's among them, are its own: {@link #run} gives them the entries for one task.
 *
 * {@snippet :
 * LogRank.of(group).run(() -> LOG.info("computes"));
 * }
 *
 * <p><b>Threads.</b> Any; the entries are the calling thread's. <b>Cost.</b> A thread that stays with one rank is given them once. One that serves several
 * pays a look at a thread-local each time, and two writes into the MDC when it changes.
 */
public final class LogRank {

    /** The key of a rank's number in the world. */
    public static final String RANK = "rcomm.rank";

    /** The key of the number of ranks in the world. */
    public static final String WORLD = "rcomm.world";

    /** Whose a thread of the library's is at present. */
    private static final ThreadLocal<@Nullable LogRank> PRESENT = new ThreadLocal<>();

    private final String rank;
    private final String world;

    /** The entries of a rank in a world of that size. */
    public LogRank(int rank, int worldSize) {
        this.rank = Integer.toString(rank);
        this.world = Integer.toString(worldSize);
    }

    /** A group that can tell the entries of its rank. */
    public interface Bearer {

        LogRank logRank();
    }

    /** {@return the entries of this rank} Of a group that is not the library's, and knows no world, that group's own size stands for the world's. */
    public static LogRank of(ProcessGroup group) {
        Objects.requireNonNull(group, "group");
        return group instanceof Bearer bearer
                ? bearer.logRank()
                : new LogRank(group.globalRank(group.rank()), group.size());
    }

    /** Makes the calling thread the rank's whose group that is, as {@link #enter()} does. */
    public static void enter(ProcessGroup group) {
        Objects.requireNonNull(group, "group");
        if (group instanceof Bearer bearer) {
            bearer.logRank().enter();
        } else {
            new LogRank(group.globalRank(group.rank()), group.size()).enter();
        }
    }

    /**
     * Makes the calling thread this rank's, until another one's is made of it: for threads of the library's, of its transports and engines, which belong to no
     * program.
     */
    public void enter() {
        if (PRESENT.get() != this) {
            PRESENT.set(this);
            MDC.put(RANK, rank);
            MDC.put(WORLD, world);
        }
    }

    /** Runs a task with the entries, and leaves the thread with those that it had. */
    public void run(Runnable task) {
        Objects.requireNonNull(task, "task");
        get(() -> {
            task.run();
            return task;
        });
    }

    /** {@return what a task with the entries gives} The thread is left with those that it had. */
    public <T extends @Nullable Object> T get(Supplier<T> task) {
        Objects.requireNonNull(task, "task");
        String rankBefore = MDC.get(RANK);
        String worldBefore = MDC.get(WORLD);
        MDC.put(RANK, rank);
        MDC.put(WORLD, world);
        try {
            return task.get();
        } finally {
            put(RANK, rankBefore);
            put(WORLD, worldBefore);
        }
    }

    private static void put(String key, @Nullable String before) {
        if (before == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, before);
        }
    }

    @Override
    public String toString() {
        return RANK + "=" + rank + ", " + WORLD + "=" + world;
    }
}
