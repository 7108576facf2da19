package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.spi.rendezvous.HostedStore;
import java.io.File;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;

/**
 * A program in a class loader of its own, as a server or a shell runs it: the library and its dependencies are loaded for this program only.
 * It runs on a thread of the server that survives it.
 *
 * <p>The server is a JVM of its own, for its flags: the JDK itself keeps classes of records softly, so soft references are cleared at once.
 */
public final class UnloadedProgram {

    private static final List<String> FLAGS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx512m",
            "-XX:SoftRefLRUPolicyMSPerMB=0",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC");

    /** Far longer than a program needs. */
    private static final long LIMIT_SECONDS = 100;

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final String COLLECTED = "collected";

    /** Together long enough for threads of the library's that are idle, which end after a second. */
    private static final int MOST_COLLECTIONS = 100;

    private static final long MILLIS_BETWEEN_COLLECTIONS = 200;

    private UnloadedProgram() {}

    /**
     * Runs a program, and requires that its class loader is collected once it has returned.
     *
     * @param program has a constructor without parameters, and closes what it opens
     * @param flags of the server's JVM, besides its own
     */
    public static void requireCollected(Class<? extends Runnable> program, String... flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(FLAGS);
        command.addAll(List.of(flags));
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), UnloadedProgram.class.getName(), program.getName()));
        Process server = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            server.getOutputStream().close();
            server.onExit()
                    .orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS)
                    .whenComplete((ended, late) -> server.destroyForcibly());
            List<String> said = new String(server.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(said.getLast())
                    .as("the last of all that the server said: %s", String.join("\n", said))
                    .isEqualTo(COLLECTED);
        } finally {
            server.destroyForcibly();
        }
    }

    /** The server. @param arguments the program's name */
    public static void main(String[] arguments) {
        startTimerOfJvm();
        ReferenceQueue<ClassLoader> collected = new ReferenceQueue<>();
        try (ExecutorService server = Executors.newSingleThreadExecutor()) {
            WeakReference<ClassLoader> loader =
                    server.submit(() -> run(arguments[0], collected)).get();
            awaitCollected(loader, collected);
            ClassLoader kept = loader.get();
            System.out.println(kept == null ? COLLECTED : "kept by " + holders(kept));
        } catch (Exception | Error e) {
            e.printStackTrace(System.out);
        } finally {
            // Whatever threads the program has left.
            System.exit(0);
        }
    }

    /** The JDK's timer thread keeps the context class loader of the thread that first needs it: here the server's, and not the program's. */
    private static void startTimerOfJvm() {
        CompletableFuture.runAsync(() -> {}, CompletableFuture.delayedExecutor(0, TimeUnit.NANOSECONDS))
                .join();
    }

    private static void awaitCollected(WeakReference<ClassLoader> loader, ReferenceQueue<ClassLoader> collected)
            throws InterruptedException {
        for (int i = 0; i < MOST_COLLECTIONS; i++) {
            System.gc();
            if (collected.remove(MILLIS_BETWEEN_COLLECTIONS) == loader) {
                return;
            }
        }
    }

    private static WeakReference<ClassLoader> run(String program, ReferenceQueue<ClassLoader> collected)
            throws Exception {
        Thread server = Thread.currentThread();
        ClassLoader own = server.getContextClassLoader();
        ClassLoader shared =
                new URLClassLoader(classPath(UnloadedProgram::isOfServer), ClassLoader.getPlatformClassLoader());
        try (URLClassLoader loader = new URLClassLoader(classPath(each -> !isOfServer(each)), shared)) {
            server.setContextClassLoader(loader);
            ((Runnable) loader.loadClass(program).getConstructor().newInstance()).run();
            return new WeakReference<>(loader, collected);
        } finally {
            server.setContextClassLoader(own);
        }
    }

    /** JCuda's native code holds its classes for good, and a JVM loads it once: a server has it for all of its programs. */
    private static boolean isOfServer(Path jar) {
        return jar.getFileName().toString().startsWith("jcuda");
    }

    private static URL[] classPath(Predicate<Path> wanted) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(each);
            if (wanted.test(path)) {
                urls.add(path.toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }

    /** {@return the threads that refer to a loader or are of its classes, and the default handler if it is} */
    private static List<String> holders(ClassLoader loader) {
        List<String> holders = new ArrayList<>();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getContextClassLoader() == loader || thread.getClass().getClassLoader() == loader) {
                holders.add(
                        thread.getName() + " " + Arrays.stream(stack).limit(4).toList());
            }
        });
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        if (handler != null && handler.getClass().getClassLoader() == loader) {
            holders.add("the default handler of uncaught exceptions");
        }
        return holders.isEmpty() ? List.of("no thread and no default handler; look into a dump of the heap") : holders;
    }

    /** Sums a tensor on all ranks, and closes it. */
    public static void call(List<ProcessGroup> world, Function<ProcessGroup, Tensor> allocating) {
        Flux.fromIterable(world)
                .flatMap(group -> {
                    Tensor tensor = allocating.apply(group);
                    return group.allReduce(tensor, ReduceOp.SUM)
                            .then(group.allGatherObject("rank " + group.rank(), String.class))
                            .doFinally(end -> tensor.close());
                })
                .blockLast(LIMIT);
    }

    /** Two ranks that meet at a store, over a transport. */
    public abstract static class Connected implements Runnable {

        private final String transport;

        protected Connected(String transport) {
            this.transport = transport;
        }

        @Override
        public final void run() {
            try (HostedStore store = ConnectedWorlds.store()) {
                List<ProcessGroup> world = Flux.range(0, 2)
                        .flatMap(rank -> ReactiveComm.connect(ConnectedWorlds.config(store, transport, rank, 2)))
                        .collectList()
                        .blockOptional(LIMIT)
                        .orElseThrow();
                call(world, group -> group.allocate(DType.FLOAT32, 1 << 20));
                world.forEach(ProcessGroup::close);
            }
        }
    }
}
