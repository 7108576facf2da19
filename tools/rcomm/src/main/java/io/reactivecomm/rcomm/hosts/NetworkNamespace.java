package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.CommException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A network namespace without a name, which a {@link HoldingShell} holds for as long as this process lives.
 *
 * <p>Where somebody ends the shell, another takes its place at once. For that the namespace is held open here, too, and is entered by that file: the
 * number of a shell that is gone may be that of another process, in the network of this machine.
 *
 * <p><b>Threads.</b> Any.
 */
final class NetworkNamespace implements AutoCloseable {

    private final HoldingShell holder;
    private final int descriptor;
    /** The shell when it has ended in good order, or the one that took its place. */
    private final CompletableFuture<HoldingShell> last;

    private final Thread atShutdown;

    private NetworkNamespace(HoldingShell holder, int descriptor) {
        this.holder = holder;
        this.descriptor = descriptor;
        this.last = holder.ended().thenApply(inOrder -> inOrder ? holder : HoldingShell.start(entrance(descriptor)));
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
        HoldingShell holder = HoldingShell.start("unshare --net");
        try {
            NetworkNamespace made =
                    new NetworkNamespace(holder, NamespaceCalls.openToRead("/proc/" + holder.pid() + "/ns/net"));
            Runtime.getRuntime().addShutdownHook(made.atShutdown);
            return made;
        } catch (IOException e) {
            holder.kill();
            throw new HostsException(
                    "cannot open a namespace: holder=" + holder.pid() + ", reason=" + CommException.textOf(e)
                            + "; /proc has to be there, and the limit of open files (ulimit -n) above the number of hosts",
                    e);
        }
    }

    /** {@return a process that is in it} */
    long holder() {
        return (holder.isAlive() ? holder : last.join()).pid();
    }

    /** {@return a Mono that emits nothing, and fails with a {@link HostsException} once somebody has ended its shell, on a thread that may block} */
    <T> Mono<T> loss() {
        return Mono.fromFuture(holder.ended(), true)
                .publishOn(Schedulers.boundedElastic())
                .then(Mono.error(() -> new HostsException("the shell that holds a host was ended: holder="
                        + holder.pid() + "; leave the shells alone that rcomm has started")));
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
            NamespaceCalls.enterNetwork(path(descriptor));
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
    InterfaceTraffic traffic() {
        try {
            return InterfaceTraffic.of(holder());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a host's counters: holder=" + holder(), e);
        }
    }

    /** Ends what is in it, and it; once. */
    @Override
    public void close() {
        try {
            holder.end();
            last.join().end();
        } finally {
            NamespaceCalls.close(descriptor);
            try {
                Runtime.getRuntime().removeShutdownHook(atShutdown);
            } catch (IllegalStateException e) {
                // This process is ending, and there is nothing left to wait for.
            }
        }
    }
}
