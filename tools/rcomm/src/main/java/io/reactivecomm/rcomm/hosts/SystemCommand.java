package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.CommException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A command of the system, such as {@code ip}, whose failure is told in its own words. */
final class SystemCommand {

    private SystemCommand() {}

    /**
     * Runs a command to its end.
     *
     * @throws HostsException if it cannot be run, or fails
     */
    static void run(List<String> words) {
        String command = String.join(" ", words);
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            try {
                process.getOutputStream().close();
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                int code = process.waitFor();
                if (code != 0) {
                    throw new HostsException(failure(command, said, code));
                }
            } finally {
                // Nobody else would, if it has not ended by itself.
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new HostsException(
                    "cannot run a command of the system: command=" + command + ", reason=" + CommException.textOf(e),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HostsException("interrupted while the network was made: command=" + command, e);
        }
    }

    static String failure(String command, String said, int code) {
        String words = String.join(" ", said.strip().lines().map(String::strip).toList());
        return "the network cannot be made: command=" + command + ", exitCode=" + code + ", says=\"" + words
                + "\"; it takes root with CAP_NET_ADMIN and CAP_SYS_ADMIN, and a kernel with network namespaces, veth, bridges, TUN and tbf";
    }
}
