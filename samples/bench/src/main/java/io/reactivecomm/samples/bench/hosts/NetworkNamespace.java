package io.reactivecomm.samples.bench.hosts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A network namespace without a name, which a shell holds for as long as this process lives.
 *
 * <p>The shell waits for the end of a pipe. However this process ends, the pipe does, too; the shell then ends what still runs in the
 * namespace, and itself, and with its last process the namespace goes, and all interfaces in it. So nothing is ever to be cleaned up. Where the
 * end was not announced, that waits for two seconds at most, in which ranks that were told to end may do so by themselves. The shell is in a session
 * of its own, for a signal to all processes of a job or of a terminal is not for it.
 *
 * <p>Where somebody ends the shell, another takes its place at once. For that the namespace is held open here, too, and is entered by that file: the
 * number of a shell that is gone may be that of another process, in the network of this machine.
 *
 * <p><b>Threads.</b> Any.
 */
final class NetworkNamespace implements AutoCloseable {

    /**
     * Deaf to what a terminal sends to all: the pipe tells it. A process that has just been started is not in the list that is being gone
     * through, so it looks again until it finds none; not for ever, for some wait in the kernel and cannot be ended. Signal 0 only finds them.
     */
    private static final String HOLD = """
            trap '' INT TERM HUP
            tell() {
                found=1
                for process in /proc/[0-9]*; do
                    id=${process#/proc/}
                    [ "$id" = $$ ] || ! [ $process/ns/net -ef /proc/$$/ns/net ] || ! kill -$1 "$id" || found=0
                done
                return $found
            } 2>/dev/null
            repeat() {
                left=$1
                while [ $left -gt 0 ] && tell $3; do
                    left=$((left - 1))
                    sleep $2
                done
            }
            echo up
            read -r word || repeat 4 0.5 0
            repeat 100 0.1 9
            """;

    private final Process holder;
    private final int descriptor;
    /** The shell when it has ended in good order, or the one that took its place. */
    private final CompletableFuture<Process> last;
    private final Thread atShutdown;

    private NetworkNamespace(Process holder, int descriptor) {
        this.holder = holder;
        this.descriptor = descriptor;
        this.last = holder.onExit().thenApply(ended -> ended.exitValue() == 0 ? ended : hold(entrance(descriptor)));
        // Where a shell was ended just before this process, the other should be there before the pipes end.
        this.atShutdown = new Thread(this::awaitAnother, "rcomm-hold-host");
    }

    private void awaitAnother() {
        if (!holder.isAlive()) {
            last.join();
        }
    }

    /**
     * Makes a namespace.
     *
     * @throws HostsException if the system refuses
     */
    static NetworkNamespace make() {
        Process holder = hold("unshare --net");
        try {
            NetworkNamespace made = new NetworkNamespace(holder, Libc.openToRead("/proc/" + holder.pid() + "/ns/net"));
            Runtime.getRuntime().addShutdownHook(made.atShutdown);
            return made;
        } catch (IOException e) {
            holder.destroyForcibly();
            throw new HostsException("cannot open a namespace: holder=" + holder.pid() + ", reason=" + e.getMessage()
                    + "; /proc has to be there, and the limit of open files (ulimit -n) above the number of hosts", e);
        }
    }

    /** {@return a shell that holds the namespace into which that command leads} */
    private static Process hold(String entrance) {
        try {
            List<String> words = Stream.concat(Stream.of(("setsid " + entrance).split(" ")), Stream.of("sh", "-c", HOLD)).toList();
            Process holder = new ProcessBuilder(words).redirectErrorStream(true).start();
            BufferedReader said = holder.inputReader(StandardCharsets.UTF_8);
            String first = said.readLine();
            if (!"up".equals(first)) {
                holder.destroyForcibly();
                throw new HostsException(SystemCommand.failure(entrance, first == null ? "" : first, 1));
            }
            return holder;
        } catch (IOException e) {
            throw new HostsException("cannot run a command of the system: command=" + entrance + ", reason=" + e.getMessage(), e);
        }
    }

    /** {@return a process that is in it} */
    long holder() {
        return (holder.isAlive() ? holder : last.join()).pid();
    }

    /** {@return a Mono that emits nothing, and fails with a {@link HostsException} once somebody has ended its shell, on a thread that may block} */
    <T> Mono<T> loss() {
        return Mono.fromFuture(holder.onExit(), true)
                .publishOn(Schedulers.boundedElastic())
                .then(Mono.error(() -> new HostsException("the shell that holds a host was ended: holder=" + holder.pid()
                        + "; leave the shells alone that rcomm has started")));
    }

    /** {@return the path of an open file that stands for a namespace} */
    private static String path(int descriptor) {
        return "/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor;
    }

    private static String entrance(int descriptor) {
        return "nsenter --net=" + path(descriptor);
    }

    /** {@return the words that run a command in it, as the same process} */
    List<String> prefix() {
        return List.of((entrance(descriptor) + " --").split(" "));
    }

    /** Runs a command in it, given as words between blanks. */
    void run(String command) {
        run(command.split(" "));
    }

    /** Runs a command in it. */
    void run(String... words) {
        SystemCommand.run(Stream.concat(prefix().stream(), Stream.of(words)).toList());
    }

    /** {@return what the action returns on a thread that is in the namespace, as are the sockets that it opens; the thread ends with it} */
    <T> T call(Callable<T> action) throws IOException {
        FutureTask<T> task = new FutureTask<>(() -> {
            Libc.enterNetwork(path(descriptor));
            return action.call();
        });
        Thread.ofPlatform().daemon().name("rcomm-in-namespace").start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in a namespace", e);
        }
    }

    /** {@return what has gone over its interface so far} */
    Traffic traffic() {
        try {
            return Traffic.of(holder());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a host's counters: holder=" + holder(), e);
        }
    }

    /** Ends what is in it, and it; once. */
    @Override
    public void close() {
        try {
            end(holder);
            end(last.join());
        } finally {
            Libc.close(descriptor);
            try {
                Runtime.getRuntime().removeShutdownHook(atShutdown);
            } catch (IllegalStateException e) {
                // This process is ending, and there is nothing left to wait for.
            }
        }
    }

    private static void end(Process shell) {
        try {
            shell.getOutputStream().write('\n');
            shell.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        shell.onExit().join();
    }
}
