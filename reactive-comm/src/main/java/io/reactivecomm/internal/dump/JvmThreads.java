package io.reactivecomm.internal.dump;

import io.reactivecomm.internal.base.StackOwner;
import io.reactivecomm.recorder.ThreadRecord;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The threads of this JVM, as a dump has them. */
final class JvmThreads {

    /** More tell nothing new of a job that stands still. */
    private static final int MOST_THREADS = 256;

    private static final int MOST_FRAMES = 64;

    private JvmThreads() {}

    /** {@return all, the deadlocked and the caller first} @param caller the thread that the rank's last call was subscribed to on, or null */
    static List<ThreadRecord> look(@Nullable Thread caller) {
        List<ThreadRecord> all = platformThreads(caller);
        if (caller != null && caller.isVirtual()) {
            all.add(virtual(caller));
        }
        all.sort(Comparator.comparing((ThreadRecord each) -> !each.isDeadlocked())
                .thenComparing(each -> !each.isCaller()));
        return all.subList(0, Math.min(all.size(), MOST_THREADS));
    }

    private static List<ThreadRecord> platformThreads(@Nullable Thread caller) {
        try {
            return withLocks(caller);
        } catch (LinkageError e) {
            // A runtime without the module java.management.
            return withoutLocks(caller);
        }
    }

    static List<ThreadRecord> withoutLocks(@Nullable Thread caller) {
        List<ThreadRecord> all = new ArrayList<>();
        Thread.getAllStackTraces()
                .forEach((thread, stack) -> all.add(new ThreadRecord(
                        thread.getName(), thread.getState().name(), thread == caller, false, "", "", frames(stack))));
        return all;
    }

    private static List<ThreadRecord> withLocks(@Nullable Thread caller) {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        Set<Long> deadlocked = new HashSet<>();
        long[] found = bean.findDeadlockedThreads();
        if (found != null) {
            Arrays.stream(found).forEach(deadlocked::add);
        }
        List<ThreadRecord> all = new ArrayList<>();
        for (ThreadInfo info : bean.dumpAllThreads(true, true, MOST_FRAMES)) {
            if (info != null) {
                all.add(record(info, caller, deadlocked.contains(info.getThreadId())));
            }
        }
        return all;
    }

    private static ThreadRecord record(ThreadInfo info, @Nullable Thread caller, boolean isDeadlocked) {
        boolean isCaller = caller != null && caller.threadId() == info.getThreadId();
        LockInfo lock = info.getLockInfo();
        String owner = info.getLockOwnerName();
        return new ThreadRecord(
                info.getThreadName(),
                info.getThreadState().name(),
                isCaller,
                isDeadlocked,
                lock == null ? "" : lock.toString(),
                owner == null ? "" : owner,
                frames(info));
    }

    private static List<String> frames(ThreadInfo info) {
        List<String> frames = new ArrayList<>();
        StackTraceElement[] stack = info.getStackTrace();
        for (int depth = 0; depth < stack.length; depth++) {
            frames.add(StackOwner.frame(stack[depth]));
            for (MonitorInfo held : info.getLockedMonitors()) {
                if (held.getLockedStackDepth() == depth) {
                    frames.add("- holds " + held);
                }
            }
        }
        return frames;
    }

    /** The JVM's list has none of these. */
    private static ThreadRecord virtual(Thread thread) {
        return new ThreadRecord(
                thread.getName().isEmpty() ? "virtual " + thread.threadId() : thread.getName(),
                thread.getState().name(),
                true,
                false,
                "",
                "",
                frames(thread.getStackTrace()));
    }

    static List<String> frames(StackTraceElement[] stack) {
        return Arrays.stream(stack).limit(MOST_FRAMES).map(StackOwner::frame).toList();
    }
}
