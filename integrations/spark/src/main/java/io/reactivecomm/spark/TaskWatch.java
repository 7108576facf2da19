package io.reactivecomm.spark;

import io.reactivecomm.ProcessGroup;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.TaskContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A watch over a Spark task, which ends the task's group when Spark kills the task. Spark does not interrupt the thread of a killed task by default, so a
 * program that waits for a collective call would not notice.
 *
 * <p><b>Threads.</b> A daemon thread of its own polls the task until the task is complete.
 */
final class TaskWatch implements Runnable {

    /** Well below the second within which the other ranks should learn of the end. */
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final TaskContext task;
    private final Sinks.Empty<Void> killed = Sinks.empty();
    private @Nullable ProcessGroup group;
    private @Nullable String end;
    private volatile boolean isOver;

    private TaskWatch(TaskContext task) {
        this.task = task;
    }

    static TaskWatch begin(TaskContext task) {
        TaskWatch watch = new TaskWatch(task);
        Thread thread = Thread.ofPlatform()
                .daemon()
                .name("rcomm-spark-watch-" + task.partitionId())
                .start(watch);
        task.addTaskCompletionListener((org.apache.spark.util.TaskCompletionListener) ended -> {
            watch.isOver = true;
            watch.end("its Spark task is complete");
            LockSupport.unpark(thread);
        });
        return watch;
    }

    @Override
    public void run() {
        while (!isOver) {
            if (task.isInterrupted()) {
                end("Spark has killed its task");
                return;
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
        }
    }

    private void end(String reason) {
        ProcessGroup open;
        synchronized (this) {
            end = reason;
            open = group;
        }
        killed.tryEmitError(new CancellationException(reason));
        if (open != null) {
            open.abort(reason);
        }
    }

    /** {@return the attempt to connect, which ends with the task; its group does too} */
    Mono<ProcessGroup> over(Mono<ProcessGroup> connecting) {
        return connecting.doOnNext(this::hold).takeUntilOther(killed.asMono());
    }

    private void hold(ProcessGroup connected) {
        String reason;
        synchronized (this) {
            group = connected;
            reason = end;
        }
        if (reason != null) {
            connected.abort(reason);
            connected.close();
        }
    }
}
