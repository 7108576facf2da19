package io.reactivecomm.samples.bench.hosts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/**
 * A network namespace without a name, which a shell holds for as long as this process lives.
 *
 * <p>The shell waits for the end of a pipe. However this process ends, the pipe does, too; the shell then ends what still runs in the
 * namespace, and itself, and with its last process the namespace goes, and all interfaces in it. So nothing is ever to be cleaned up. Where the
 * end was not announced, that waits for two seconds at most, in which ranks that were told to end may do so by themselves.
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

    private static final List<String> COMMAND = List.of("unshare", "--net", "sh", "-c", HOLD);

    private final Process holder;

    private NetworkNamespace(Process holder) {
        this.holder = holder;
    }

    /**
     * Makes a namespace.
     *
     * @throws HostsException if the system refuses
     */
    static NetworkNamespace make() {
        try {
            Process holder = new ProcessBuilder(COMMAND).redirectErrorStream(true).start();
            BufferedReader said = holder.inputReader(StandardCharsets.UTF_8);
            String first = said.readLine();
            if (!"up".equals(first)) {
                holder.destroyForcibly();
                throw new HostsException(SystemCommand.failure("unshare --net", first == null ? "" : first, 1));
            }
            return new NetworkNamespace(holder);
        } catch (IOException e) {
            throw new HostsException("cannot run a command of the system: command=unshare --net, reason=" + e.getMessage(), e);
        }
    }

    /** {@return a process that is in it for as long as it is there} */
    long holder() {
        return holder.pid();
    }

    /**
     * {@return the file that stands for it}
     *
     * @throws HostsException if somebody ended the shell: its number may be that of another process by now, in the network of this machine
     */
    String path() {
        if (!holder.toHandle().isAlive()) {
            throw new HostsException("a host is gone: holder=" + holder.pid() + "; leave the shells alone that rcomm has started");
        }
        return "/proc/" + holder.pid() + "/ns/net";
    }

    /** {@return the words that run a command in it, as the same process} */
    List<String> prefix() {
        return List.of("nsenter", "--net=" + path(), "--");
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
            Libc.enterNetwork(path());
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
            return Traffic.of(holder.pid());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a host's counters: holder=" + holder.pid(), e);
        }
    }

    /** Ends what is in it, and it. */
    @Override
    public void close() {
        try {
            holder.getOutputStream().write('\n');
            holder.getOutputStream().close();
        } catch (IOException e) {
            // Somebody ended the shell: the namespace goes with the last process in it.
        }
        holder.onExit().join();
    }
}
