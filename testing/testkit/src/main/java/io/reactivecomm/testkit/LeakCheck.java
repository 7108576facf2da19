package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.TensorLeaks;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The resources that a JVM holds before a case, to be compared with those after it. They are the library's threads, file descriptors of
 * sockets, pipes and the like, and memory outside the heap. Between the two every tensor's place of allocation is noted, and one that
 * nobody closes fails the case in which that is found out, which may be a later one.
 */
public final class LeakCheck {

    private static final String THREAD_PREFIX = "rcomm-";

    /** No world's: they end a second after they had something to do, and for as long they may have. */
    private static final Set<String> THREADS_OF_THE_JVM = Set.of("rcomm-kernels", "rcomm-freeing", "rcomm-aside");

    /** No world's either, but their tasks may be: a thread that waits for the next one may stay. */
    private static final Set<String> POOLS_OF_THE_JVM =
            Set.of("rcomm-work", "rcomm-deadlines", "rcomm-looks", "rcomm-launch");

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final long STEP_NANOS = 500_000;

    /** What the JVM itself takes from the C heap and gives back as it likes, for its compiler above all. */
    private static final long NOISE_BYTES = 32 << 20;

    /** How closely tensors are watched outside of cases. */
    private static final TensorLeaks.Level USUAL = TensorLeaks.level();

    /** Places of tensors that were never closed which have failed a case already: one is enough. */
    private static final Set<String> FAILED = new HashSet<>();

    static {
        openWhatTheJvmKeeps();
    }

    private final Set<Thread> threads;
    private final long descriptors;
    private final long nativeBytes;

    private LeakCheck() {
        threads = new HashSet<>(libraryThreads());
        descriptors = descriptors();
        nativeBytes = NativeHeap.usedBytes();
    }

    /** {@return what the JVM holds now} */
    public static LeakCheck begin() {
        TensorLeaks.watch(TensorLeaks.Level.ALL);
        return new LeakCheck();
    }

    /**
     * Requires that no more is held than at the beginning, and gives the operating system a moment to say so.
     *
     * @param slackBytes memory that may have been added, such as a pool that lives as long as the JVM
     */
    public void end(long slackBytes) {
        endOfTensors();
        await(() -> threads.containsAll(libraryThreads()));
        assertThat(libraryThreads()).as("threads of the library after close").isSubsetOf(threads);
        await(() -> descriptors() <= descriptors);
        assertThat(descriptors())
                .as("open sockets, pipes and the like after close")
                .isLessThanOrEqualTo(descriptors);
        requireNativeBytes("bytes outside the heap after close", nativeBytes + slackBytes);
    }

    /** As {@link #end} where a world goes on: requires only that no tensor was lost. */
    void endOfTensors() {
        TensorLeaks.watch(USUAL);
        requireTensorsClosed();
    }

    /** As part of {@link #end} and after a collection: to have one after each case would take longer than most cases do. */
    public static void collectAndRequireTensorsClosed() {
        CollectorRuns.all();
        requireTensorsClosed();
    }

    /**
     * As {@link #collectAndRequireTensorsClosed}, for the end of each class of contracts. A collection takes a third of a second, which was a fifth
     * of such a class. So the suite has one, and a tensor that is freed after it fails the next class; {@code -Pthorough} has all.
     */
    static void collectAtEndOfClass() {
        if (Depth.isWhole()) {
            CollectorRuns.all();
        } else {
            CollectorRuns.one();
        }
        requireTensorsClosed();
    }

    /** Those that were found by now were left on purpose. */
    static void forgiveTensorsNeverClosed() {
        FAILED.addAll(TensorLeaks.places());
    }

    private static void requireTensorsClosed() {
        Set<String> places = new HashSet<>(TensorLeaks.places());
        places.removeAll(FAILED);
        FAILED.addAll(places);
        assertThat(places)
                .as("places where tensors were allocated that were never closed")
                .isEmpty();
    }

    /** Requires that so much memory outside the heap is in use at most, apart from what the JVM takes for itself. */
    public static void requireNativeBytes(String what, long most) {
        await(() -> NativeHeap.usedBytes() <= most + NOISE_BYTES);
        assertThat(NativeHeap.usedBytes()).as(what).isLessThanOrEqualTo(most + NOISE_BYTES);
    }

    /** These are states of the system that send no event: so they are looked at again and again, for a bounded time. */
    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(STEP_NANOS);
        }
    }

    /** {@return the threads of all worlds} */
    public static List<Thread> libraryThreads() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> isOfAWorld(each.getKey().getName(), each.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean isOfAWorld(String name, StackTraceElement[] stack) {
        return name.startsWith(THREAD_PREFIX)
                && !THREADS_OF_THE_JVM.contains(name)
                && !(POOLS_OF_THE_JVM.contains(name) && isIdle(stack));
    }

    private static boolean isIdle(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().equals(ThreadPoolExecutor.class.getName())
                        && frame.getMethodName().equals("getTask"));
    }

    /** From the first socket of java.nio that is closed on, and so from any case on, the JDK keeps one for good. */
    private static void openWhatTheJvmKeeps() {
        try {
            SocketChannel.open().close();
        } catch (IOException e) {
            throw new IllegalStateException("cannot open a socket", e);
        }
    }

    /** {@return the open channels} Files and jars are left out: the JVM opens those when it likes. */
    private static long descriptors() {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.filter(LeakCheck::isChannel).count();
        } catch (IOException e) {
            throw new IllegalStateException("cannot list open files: path=" + DESCRIPTORS, e);
        }
    }

    private static boolean isChannel(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("socket:") || target.startsWith("pipe:") || target.startsWith("anon_inode:");
        } catch (IOException e) {
            return false;
        }
    }
}
