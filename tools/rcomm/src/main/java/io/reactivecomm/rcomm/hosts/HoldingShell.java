package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.CommException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A shell that holds a network namespace, and ends what runs there when this process ends.
 *
 * <p>It waits for the end of a pipe. However this process ends, the pipe does, too; the shell then ends what still runs in the namespace, and itself,
 * and with its last process the namespace goes, and all interfaces in it. So nothing is ever to be cleaned up. Where the end was not announced, that
 * waits for two seconds at most, in which ranks that were told to end may do so by themselves. The shell is in a session of its own, for a signal to
 * all processes of a job or of a terminal is not for it.
 *
 * <p><b>Threads.</b> Any.
 */
final class HoldingShell {

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

    private final Process process;

    private HoldingShell(Process process) {
        this.process = process;
    }

    /**
     * {@return a shell in the namespace into which that command leads}
     *
     * @throws HostsException if the system refuses
     */
    static HoldingShell start(String entrance) {
        try {
            List<String> words = Stream.concat(
                            Stream.of(("setsid " + entrance).split(" ")), Stream.of("sh", "-c", HOLD))
                    .toList();
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
            String first = said.readLine();
            if (!"up".equals(first)) {
                process.destroyForcibly();
                throw new HostsException(SystemCommand.failure(entrance, first == null ? "" : first, 1));
            }
            return new HoldingShell(process);
        } catch (IOException e) {
            throw new HostsException(
                    "cannot run a command of the system: command=" + entrance + ", reason=" + CommException.textOf(e),
                    e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@return what completes when it has ended, with whether that was in good order and not by somebody else} */
    CompletableFuture<Boolean> ended() {
        return process.onExit().thenApply(ended -> ended.exitValue() == 0);
    }

    /** Has it end what is in the namespace, and itself, and waits for that; nothing if it has ended. */
    void end() {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        process.onExit().join();
    }

    /** Ends the shell alone. */
    void kill() {
        process.destroyForcibly();
    }
}
