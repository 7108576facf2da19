package io.reactivecomm.launch;

import io.reactivecomm.spi.RankJvmOptions;
import io.reactivecomm.spi.WorkThreads;
import java.util.HashMap;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The running ranks of one job, and the rule by which they end.
 *
 * <pre>
 *   all running ──first rank exits with a code that is not 0──▶ grace ──{@link JobOptions#grace()}──▶ told to end (SIGTERM)
 *        │                                                       │                                      │ killDelay
 *        └────────────────── last rank exits ────────────────────┴──────────────▶ done ◀──── killed (SIGKILL)
 * </pre>
 *
 * <p>When what a rank says cannot be passed on any more, all are told to end at once, as by {@link #close()}.
 *
 * <p>Whatever the state, {@link #close()} and this process's own end (Ctrl-C, SIGTERM, SIGHUP) tell all ranks to end, and kill those
 * still alive after {@link JobOptions#killDelay()}. If this process is killed itself (SIGKILL), {@link OrphanGuard} does it.
 *
 * <p><b>Threads.</b> Any. {@link #close()} blocks for up to twice the kill delay.
 */
final class RankProcesses implements AutoCloseable {

    /** The system's time. */
    static final Scheduler CLOCK = WorkThreads.timer("rcomm-launch");

    private final JobOptions options;
    private final JobOutput output;
    private final Scheduler clock;
    private final OrphanGuard orphanGuard;
    private final List<RankProcess> ranks = new CopyOnWriteArrayList<>();
    private final Disposable.Composite timers = Disposables.composite();
    private final Thread atShutdown = new Thread(this::end, "rcomm-end-ranks");

    private final long begun = System.nanoTime();
    private final Queue<Integer> failedLater = new ConcurrentLinkedQueue<>();

    private volatile @Nullable RankExit firstFailure;
    private volatile double firstFailureSeconds;
    private boolean ended;

    private RankProcesses(JobOptions options, JobOutput output, Scheduler clock) {
        this.options = options;
        this.output = output;
        this.clock = clock;
        this.orphanGuard = OrphanGuard.start(options.killDelay());
    }

    /**
     * Starts all ranks.
     *
     * @param places that of each rank
     * @throws LaunchException if the command cannot be run; no rank is left behind
     */
    static RankProcesses start(JobOptions options, JobOutput output, Scheduler clock, IntFunction<RankPlace> places) {
        RankProcesses started = new RankProcesses(options, output, clock);
        List<String> left = RankJvmOptions.share(new HashMap<>(System.getenv()));
        if (!left.isEmpty()) {
            output.say("ranks do not inherit JVM options that only one process can have: options=" + left
                    + "; name them in COMMAND, with %p in the names of files");
        }
        Runtime.getRuntime().addShutdownHook(started.atShutdown);
        try {
            for (int rank = 0; rank < options.ranks(); rank++) {
                started.startRank(rank, places.apply(rank));
            }
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
        return started;
    }

    /** Under the lock, so that a shutdown meanwhile either finds the new process or keeps it from starting. */
    private synchronized void startRank(int rank, RankPlace place) {
        if (ended) {
            throw new LaunchException(
                    LaunchException.FAILED,
                    "the job was ended while it started: rank=" + rank + ", ranks=" + options.ranks()
                            + "; start it again");
        }
        ranks.add(RankProcess.start(rank, place, options.command(), output, orphanGuard::add));
    }

    /**
     * {@return a Mono of the job's exit code once all ranks have ended: the first failure's, or 0} It fails with a {@link LaunchException} as soon as
     * what a rank says cannot be passed on. It signals on a thread of its own, for one that hears a rank has to go on while ranks are ended.
     */
    Mono<Integer> exitCode() {
        // A rank that is not heard comes first: that is mostly known before its output counts as passed on, and so
        // before all have ended. Only a
        // reader that takes nothing for a second after the end, and then goes, is not waited for.
        return Mono.firstWithSignal(Stream.concat(ranks.stream().map(RankProcess::unheard), Stream.of(ends()))
                        .toList())
                .publishOn(WorkThreads.shared());
    }

    private Mono<Integer> ends() {
        return Flux.fromIterable(ranks)
                .flatMap(RankProcess::exit, options.ranks())
                .doOnNext(this::exited)
                .flatMap(exit -> ranks.get(exit.rank()).drained().doOnSuccess(done -> report(exit)), options.ranks())
                .then(Mono.fromSupplier(this::summedUp));
    }

    /** Called for one rank at a time, in the order in which they exit: what is left in the pipes does not change who was first. */
    private void exited(RankExit exit) {
        orphanGuard.remove(ranks.get(exit.rank()).pid());
        if (!exit.failed() || hasEnded()) {
            return;
        }
        if (firstFailure != null) {
            failedLater.add(exit.rank());
            return;
        }
        firstFailureSeconds = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) / 1000.0;
        firstFailure = exit;
        if (!alive().isEmpty()) {
            timers.add(clock.schedule(this::terminate, options.grace().toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    /** Says which rank failed first, after what that one said last. */
    private void report(RankExit exit) {
        if (exit != firstFailure) {
            return;
        }
        String failure = "a rank failed: " + exit.text();
        List<Integer> others = alive();
        if (others.isEmpty()) {
            output.say(failure);
        } else {
            output.say(failure + "; ranks still running=" + others + " are ended in "
                    + seconds(options.grace().toMillis()) + " s");
        }
    }

    /** Says again who was first, where others have ended badly behind it and their words hide its own. {@return the exit code} */
    private int summedUp() {
        RankExit first = firstFailure;
        if (first == null) {
            return 0;
        }
        if (!failedLater.isEmpty()) {
            String words = ranks.get(first.rank()).lastWords();
            output.say("the first to fail was " + first.text() + ", after=" + firstFailureSeconds + " s"
                    + (words.isEmpty() ? "" : ", lastWords=\"" + words + "\"") + "; ended badly after it="
                    + failedLater.stream().sorted().toList());
        }
        return first.code();
    }

    private static String seconds(long millis) {
        return millis % 1000 == 0 ? Long.toString(millis / 1000) : Double.toString(millis / 1000.0);
    }

    private void terminate() {
        ranks.forEach(RankProcess::terminate);
        timers.add(clock.schedule(
                () -> ranks.forEach(RankProcess::kill), options.killDelay().toMillis(), TimeUnit.MILLISECONDS));
    }

    private List<Integer> alive() {
        return ranks.stream()
                .filter(RankProcess::isAlive)
                .map(RankProcess::rank)
                .toList();
    }

    private synchronized boolean hasEnded() {
        return ended;
    }

    /** Ends all ranks that are left, and returns once they have ended. Idempotent. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atShutdown);
        } catch (IllegalStateException e) {
            // This process is ending: the hook does the same as the next line, and either may come first.
        }
        end();
    }

    private void end() {
        synchronized (this) {
            ended = true;
        }
        timers.dispose();
        if (!alive().isEmpty()) {
            ranks.forEach(RankProcess::terminate);
            if (!awaitEnd()) {
                ranks.forEach(RankProcess::kill);
                awaitEnd();
            }
        }
        orphanGuard.close();
    }

    private boolean awaitEnd() {
        long deadline = System.nanoTime() + options.killDelay().toNanos();
        return ranks.stream().allMatch(rank -> rank.awaitEnd(deadline));
    }
}
