package io.reactivecomm.testkit.faults;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One rank's part in a cell: its group, the calls it makes there, and the first error it is told.
 *
 * <p><b>Threads.</b> The program's main thread, and the loop in callbacks.
 */
final class CellRank {

    private static final Duration BOUND = Duration.ofSeconds(5);

    /** One may have ended already when the question came. */
    private static final int CALLS_ASKED_FOR = 2;

    private final ProcessGroup group;
    private final RunnerOutput talk;
    private final boolean isVictim;
    private final Fault fault;
    private final SelfFault selfFault;
    private final List<Tensor> tensors = new ArrayList<>();
    private final List<Future<?>> ends = new ArrayList<>();
    private final List<Progress> awaited = new CopyOnWriteArrayList<>();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicBoolean knew = new AtomicBoolean();
    private volatile boolean leaving;
    private boolean progresses;

    CellRank(ProcessGroup group, Fault fault, RunnerOutput talk) {
        this.group = group;
        this.talk = talk;
        this.fault = fault;
        this.isVictim = group.rank() == RankPlan.VICTIM;
        this.selfFault = new SelfFault(fault, talk);
        if (fault.isCallback() && !isVictim) {
            run(selfFault.call(group, false, tensors));
        }
    }

    boolean isVictim() {
        return isVictim;
    }

    SelfFault selfFault() {
        return selfFault;
    }

    /** A number of calls, and who waits for it. */
    private record Progress(long calls, CompletableFuture<@Nullable Void> reached) {}

    /** Begins the phase's calls. {@return the moment at which they are under way} */
    Mono<Void> begin(Phase phase) {
        Workload workload = Workload.of(phase, group);
        tensors.addAll(workload.tensors());
        progresses = workload.progresses();
        Mono<Void> ready = phase == Phase.FIRST_CALL ? Mono.empty() : after(1);
        run(Flux.from(workload.calls()).doOnNext(call -> progress()));
        return ready;
    }

    private void progress() {
        long now = calls.incrementAndGet();
        for (Progress each : awaited) {
            if (now >= each.calls) {
                awaited.remove(each);
                each.reached.complete(null);
            }
        }
    }

    /** {@return the moment at which so many more calls have ended; now, where none ever does} */
    private Mono<Void> after(int more) {
        if (!progresses) {
            return Mono.empty();
        }
        Progress progress = new Progress(calls.get() + more, new CompletableFuture<>());
        awaited.add(progress);
        return Mono.fromFuture(progress.reached);
    }

    private void run(Publisher<?> publisher) {
        CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        ends.add(end);
        Flux.from(publisher)
                .subscribe(
                        value -> {},
                        error -> {
                            told(error);
                            end.complete(null);
                        },
                        () -> end.complete(null));
    }

    private void told(Throwable error) {
        long at = System.nanoTime();
        if (!leaving && knew.compareAndSet(false, true)) {
            talk.knew(at, group.rank(), error);
        }
    }

    /** {@return the moment at which calls begun from now on have ended well} */
    Mono<Void> ask() {
        return Mono.when(after(CALLS_ASKED_FOR), group.named("ask").barrier().doOnError(this::told));
    }

    /** Does to this rank what the cell is about, on its loop. */
    void strike() {
        if (fault.isCallback()) {
            run(selfFault.call(group, true, tensors));
        } else {
            selfFault.strikeOnLoop(group);
        }
    }

    /** From now on errors are this rank's own doing. */
    void leave() {
        leaving = true;
    }

    void close() {
        group.close();
    }

    /** Gives back the memory. {@return how many calls have not ended, though their group is closed} */
    int clear() {
        int unended = 0;
        for (Future<?> end : ends) {
            try {
                end.get(BOUND.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                unended++;
            } catch (ExecutionException e) {
                throw new IllegalStateException("an end that fails", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return unended;
            }
        }
        tensors.forEach(Tensor::close);
        return unended;
    }
}
