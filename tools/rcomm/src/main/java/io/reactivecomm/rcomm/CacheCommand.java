package io.reactivecomm.rcomm;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The help of {@code rcomm cache}, which the script carries out: the cache holds the classes of the JVM that is not started yet. */
@Command(
        name = "cache",
        header = "Records an AOT cache, with which some commands start sooner.",
        description = {
            "",
            "It runs `train --transport local` once and keeps the loaded classes in ~/.cache/rcomm (or $XDG_CACHE_HOME/rcomm), a folder of this user"
                    + " only. The file's name has a hash of the jars, the flags and the JDK: after a change of any, record again. Remove the"
                    + " folder to be rid of it.",
            "plan, timeline, doctor, top, token, train --transport local and --help use it. Commands that start ranks do not, because a JVM"
                    + " rejects a cache of other flags.",
            ""
        })
final class CacheCommand implements Callable<Integer> {

    private CacheCommand() {}

    static CommandLine commandLine() {
        return new CommandLine(new CacheCommand());
    }

    @Override
    public Integer call() {
        throw new IllegalStateException(
                "only the script records a cache, alone on its line: start it as `rcomm cache`");
    }
}
