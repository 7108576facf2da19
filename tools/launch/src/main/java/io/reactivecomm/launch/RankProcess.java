package io.reactivecomm.launch;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.RankJvmOptions;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One rank: its process, the processes that this one started, and the two threads that pass on what it writes.
 *
 * <p>Its standard input is empty. Its family, the process and its descendants, is looked up when it is told to end and again when it is
 * killed, by process handle and never by name. A shell that runs the real program goes with it. What a rank left running in the
 * background before it ended by itself is no longer known to be its own, and stays.
 */
final class RankProcess {

    /** How long output may still come after the end; longer only if a process in the background keeps the pipe. */
    private static final Duration DRAIN = Duration.ofSeconds(1);

    private static final int CHUNK_BYTES = 16 * 1024;

    private final int rank;
    private final Process process;
    private final CompletableFuture<RankExit> exit;
    private final Mono<Void> drained;
    private final LabelledLines out;
    private final LabelledLines err;
    private final Sinks.One<Integer> unheard = Sinks.one();
    private final Set<ProcessHandle> family = new LinkedHashSet<>();

    private RankProcess(int rank, Process process, JobOutput jobOutput, LongConsumer started) {
        this.rank = rank;
        this.process = process;
        // Before anybody can see output of it, and so know that it is there.
        started.accept(process.pid());
        this.out = jobOutput.outOf(rank, reason -> giveUp("standard output", reason));
        this.err = jobOutput.errOf(rank, reason -> giveUp("standard error", reason));
        CompletableFuture<Void> outDone = pump("out", process.getInputStream(), out);
        CompletableFuture<Void> errDone = pump("err", process.getErrorStream(), err);
        this.exit = awaited();
        Mono<Void> output = Mono.fromFuture(CompletableFuture.allOf(outDone, errDone), true);
        this.drained = Mono.fromFuture(exit, true)
                .then(output.timeout(DRAIN, Mono.empty(), RankProcesses.CLOCK))
                .cache();
        // The time counts from the end, and not from when somebody waits.
        drained.onErrorComplete().subscribe();
    }

    /**
     * Starts a rank.
     *
     * @param place what goes before its command, and what is set for it on top of this process's environment
     * @param started told its id before its output is passed on
     * @throws LaunchException if the command cannot be run
     */
    static RankProcess start(int rank, RankPlace place, List<String> command, JobOutput output, LongConsumer started) {
        List<String> words =
                Stream.concat(place.prefix().stream(), command.stream()).toList();
        SystemEncoding.requireExpressible(Stream.concat(words.stream(), place.variables().values().stream()));
        ProcessBuilder builder = new ProcessBuilder(words);
        RankJvmOptions.share(builder.environment());
        builder.environment().putAll(place.variables());
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            return new RankProcess(rank, process, output, started);
        } catch (IOException e) {
            throw new LaunchException(
                    LaunchException.NOT_EXECUTABLE,
                    "cannot run the command: command=" + words.getFirst() + ", rank=" + rank + ", reason="
                            + CommException.textOf(e) + "; check that it is a program for this machine",
                    e);
        }
    }

    /**
     * {@return its end, for which a thread waits} {@link Process#onExit()} would have a thread of the JVM's common pool, of which there may be one
     * alone, wait as well: for the last process that keeps the pipe of one that has ended.
     */
    private CompletableFuture<RankExit> awaited() {
        CompletableFuture<RankExit> ended = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rank-" + rank + "-exit").start(() -> {
            try {
                ended.complete(new RankExit(rank, process.waitFor()));
            } catch (InterruptedException e) {
                ended.completeExceptionally(e);
            }
        });
        return ended;
    }

    int rank() {
        return rank;
    }

    /** {@return the last line that it has written, to whichever of the two; empty if there was none} */
    String lastWords() {
        LabelledLines.Latest said = out.latest();
        LabelledLines.Latest cried = err.latest();
        boolean isErrLater = said.line().length == 0 || (cried.line().length > 0 && cried.at() - said.at() >= 0);
        return (isErrLater ? cried : said).text();
    }

    long pid() {
        return process.pid();
    }

    /** {@return a Mono of how it ended, as soon as it has; cancelling changes nothing} */
    Mono<RankExit> exit() {
        return Mono.fromFuture(exit, true);
    }

    /** {@return a Mono that completes once it has ended and its output is passed on; cancelling changes nothing} */
    Mono<Void> drained() {
        return drained;
    }

    /** {@return a Mono that only fails, with a {@link LaunchException} once what it says cannot be passed on; cancelling changes nothing} */
    Mono<Integer> unheard() {
        return unheard.asMono();
    }

    private void giveUp(String stream, IOException reason) {
        unheard.tryEmitError(new LaunchException(
                LaunchException.FAILED,
                "what ranks say cannot be written any more, so they were ended: stream=" + stream + ", rank=" + rank
                        + ", reason=" + CommException.textOf(reason)
                        + "; check that its reader is there, or that its disk has room",
                reason));
    }

    boolean isAlive() {
        return process.isAlive() || family().stream().anyMatch(ProcessHandle::isAlive);
    }

    /** Asks the family to end (SIGTERM). */
    void terminate() {
        family().forEach(ProcessHandle::destroy);
    }

    /** Ends the family (SIGKILL). */
    void kill() {
        family().forEach(ProcessHandle::destroyForcibly);
    }

    /** {@return whether the family has ended by {@link System#nanoTime()} {@code deadline}, waiting for it} */
    boolean awaitEnd(long deadline) {
        Stream<CompletableFuture<?>> others =
                family().stream().filter(each -> each.pid() != pid()).map(ProcessHandle::onExit);
        CompletableFuture<?>[] ends = Stream.concat(Stream.of(exit), others).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(ends).get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("waiting for a process failed: rank=" + rank, e.getCause());
        }
    }

    /**
     * {@return all that this rank is known to have started, itself included. Parents come before their children, so that no shell that is
     * ended next starts its next command when it sees the one before killed}
     */
    private synchronized List<ProcessHandle> family() {
        Set<ProcessHandle> known = new LinkedHashSet<>(family);
        known.add(process.toHandle());
        known.stream().toList().forEach(handle -> handle.descendants().forEach(known::add));
        family.addAll(known);
        return List.copyOf(known);
    }

    private CompletableFuture<Void> pump(String stream, InputStream from, LabelledLines lines) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rank-" + rank + "-" + stream).start(() -> {
            try (from) {
                byte[] chunk = new byte[CHUNK_BYTES];
                for (int length = from.read(chunk); length >= 0; length = from.read(chunk)) {
                    lines.accept(chunk, length);
                }
            } catch (IOException e) {
                // The pipe was closed under the reader because the process ended: what it wrote has been read.
            } finally {
                lines.end();
                done.complete(null);
            }
        });
        return done;
    }
}
