package io.reactivecomm.pytorch;

import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.TrainingStep;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The steps of other ranks, after this rank's last one: gradients only come back.
 *
 * <p><b>Threads.</b> Rounds end on the group's loop, and the subscriber's thread steps the optimizer.
 */
final class FinishedPass implements Pass, TrainingStep {

    private final DistributedDataParallel ddp;
    private final Runnable stepped;
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    /** Of the subscriber's thread. */
    private boolean isOver;

    /** @param stepped steps the optimizer */
    FinishedPass(DistributedDataParallel ddp, Runnable stepped) {
        this.ddp = ddp;
        this.stepped = stepped;
    }

    /** Returns when the last round has ended. */
    void run(MonoSink<Void> result) {
        ddp.gradients().forEach(ParameterGradient::reset);
        Disposable.Swap rounds = Disposables.swap();
        result.onCancel(() -> {
            rounds.dispose();
            work.add(() -> end(ddp::stepCancelled));
        });
        rounds.replace(ddp.hooks
                .finished(this, this::after)
                .contextWrite(result.contextView())
                .subscribe(
                        last -> work.add(() -> {
                            end(ddp::finishedAll);
                            result.success();
                        }),
                        error -> work.add(() -> {
                            end(ddp::stepFailed);
                            result.error(error);
                        })));
        try {
            while (!isOver) {
                work.take().run();
            }
        } catch (InterruptedException e) {
            rounds.dispose();
            end(ddp::stepCancelled);
            Thread.currentThread().interrupt();
            result.error(new IllegalStateException("interrupted while other ranks have inputs", e));
        }
    }

    private void end(Runnable state) {
        if (!isOver) {
            isOver = true;
            state.run();
        }
    }

    private Mono<Void> after(StepEnd round) {
        return Mono.create(sink -> work.add(() -> {
            try {
                ddp.stepSucceeded(round);
                stepped.run();
                ddp.gradients().forEach(ParameterGradient::reset);
                ddp.enter(this);
                sink.success();
            } catch (Exception | Error e) {
                sink.error(e);
                Exceptions.throwIfJvmFatal(e);
            }
        }));
    }

    @Override
    public void accumulates(ParameterGradient gradient) {
        throw DistributedDataParallel.outside(gradient.name());
    }

    @Override
    public Flux<Gradient> gradients() {
        return Flux.empty();
    }

    @Override
    public Mono<Void> takeBack(Gradient reduced) {
        ddp.gradient(reduced.name()).takeBack(reduced);
        return Mono.empty();
    }
}
