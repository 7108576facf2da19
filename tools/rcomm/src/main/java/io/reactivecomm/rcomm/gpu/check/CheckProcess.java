package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.RankJvmOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process that is one rank, on this JVM's own Java, class path and flags. Its output is read by a thread of its own, for a full pipe would stop it.
 *
 * <p><b>Threads.</b> One that is no device's.
 */
final class CheckProcess implements AutoCloseable {

    /** Two JVMs, and NCCL's start on a GPU that is in use. */
    private static final long LIMIT_SECONDS = 90;

    private final int rank;
    private final Process process;
    private final CompletableFuture<String> id = new CompletableFuture<>();
    private final CompletableFuture<String> outcome = new CompletableFuture<>();

    private CheckProcess(int rank, Process process) {
        this.rank = rank;
        this.process = process;
        Thread.ofPlatform().daemon().name("read-rank-" + rank).start(this::read);
        CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
    }

    /** @param id empty for the first, which makes it */
    static CheckProcess start(int rank, String id, Map<String, String> environment) throws IOException {
        RuntimeMXBean jvm = ManagementFactory.getRuntimeMXBean();
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(RankJvmOptions.inherited());
        command.addAll(List.of("-cp", jvm.getClassPath(), CheckRank.class.getName(), String.valueOf(rank)));
        if (!id.isEmpty()) {
            command.add(id);
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        RankJvmOptions.share(builder.environment());
        builder.environment().putAll(environment);
        return new CheckProcess(rank, builder.start());
    }

    private void read() {
        String last = "nothing";
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(CheckRank.ID)) {
                    id.complete(line.substring(CheckRank.ID.length()));
                } else {
                    last = last.startsWith(CheckRank.MARK) ? last : line;
                }
            }
        } catch (IOException | UncheckedIOException e) {
            last = CommException.textOf(e);
        }
        outcome.complete(last);
        id.complete("");
    }

    /** {@return the id that the first has made} */
    String id() {
        String made = id.join();
        if (made.isEmpty()) {
            throw new IllegalStateException("a rank makes no unique id: said=" + outcome.join());
        }
        return made;
    }

    /** {@return both, with the one first that has ended first: if it was refused, the other waits for it} */
    List<CheckProcess> orEarlier(CheckProcess other) {
        CompletableFuture.anyOf(outcome, other.outcome).join();
        return outcome.isDone() ? List.of(this, other) : List.of(other, this);
    }

    /**
     * Waits for its end.
     *
     * @param isPromised whether the library allows two ranks on a GPU; else they may also wait for each other for ever
     * @throws SkippedCheck if it does not allow them
     */
    void requireSuccess(boolean isPromised) throws SkippedCheck {
        String said = outcome.join();
        boolean isSilent = !said.startsWith(CheckRank.FAILED) && !said.equals(CheckRank.DONE);
        if (said.startsWith(CheckRank.REFUSED) || (isSilent && !isPromised)) {
            throw new SkippedCheck("this NCCL allows no two ranks on one GPU: rank=" + rank + ", said=" + said);
        }
        if (!said.equals(CheckRank.DONE)) {
            throw new IllegalStateException(
                    "a rank has not ended well in " + LIMIT_SECONDS + " s: rank=" + rank + ", said=" + said);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
