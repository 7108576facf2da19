package io.reactivecomm.pytorch;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Work;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.StepView;
import io.reactivecomm.train.TrainingStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * One step: forward, loss and backward on the subscriber's thread, while gradients are reduced.
 *
 * <p><b>One late.</b> Autograd calls a parameter's hook before it accumulates. The accumulation follows on the same thread before anything else, so a gradient is complete when the next
 * hook runs there, and the last one is when {@code backward} returns. Gradients of other threads, which reentrant passes use, are announced at the end.
 *
 * <pre>
 *   hook c   c accumulates   hook b      b accumulates   hook a      a accumulates   backward returns
 *                            announce c                  announce b                  announce a
 * </pre>
 *
 * <p><b>Threads.</b> The subscriber's computes. The step's end comes on the group's loop, and is passed on after the computation has ended, so no backward pass runs when the program learns of it.
 */
final class SyncedPass implements Pass, TrainingStep {

    private final DistributedDataParallel ddp;
    private final Supplier<Tensor> loss;
    private final boolean syncsBuffers;
    /** The taker of gradients, once all composite calls of the step are open; null if the step has ended before. */
    private final CompletableFuture<@Nullable FluxSink<Gradient>> turn = new CompletableFuture<>();
    /** The subscriber's thread has done its work. */
    private final CompletableFuture<@Nullable Void> computed = new CompletableFuture<>();

    private final List<ParameterGradient> late = new ArrayList<>();
    private volatile @Nullable Mono<Work> buffers;
    private volatile @Nullable Tensor value;
    private @Nullable FluxSink<Gradient> gradients;
    private @Nullable Thread thread;
    /** Its hook has run on the computing thread, and its accumulation may not have. */
    private @Nullable ParameterGradient last;
    /** The exception of a hook: native code passes on its text alone. */
    private @Nullable RuntimeException refusal;

    /** @param syncsBuffers whether rank 0's buffers are broadcast before the loss is computed */
    SyncedPass(DistributedDataParallel ddp, Supplier<Tensor> loss, boolean syncsBuffers) {
        this.ddp = ddp;
        this.loss = loss;
        this.syncsBuffers = syncsBuffers;
    }

    void run(MonoSink<Tensor> result) {
        Disposable step = ddp.hooks
                .run(this)
                .contextWrite(result.contextView())
                .contextWrite(context -> context.put(SyncedPass.class, this))
                .subscribe(end -> ends(() -> succeed(result, end)), error -> ends(() -> fail(result, error)));
        result.onCancel(() -> {
            step.dispose();
            ends(ddp::stepCancelled);
        });
        compute();
    }

    private void ends(Runnable end) {
        turn.complete(null);
        computed.thenRun(end);
    }

    private void succeed(MonoSink<Tensor> result, StepEnd end) {
        ddp.stepSucceeded(end);
        result.success(Objects.requireNonNull(value));
    }

    private void fail(MonoSink<Tensor> result, Throwable error) {
        ddp.stepFailed();
        result.error(error);
    }

    /** The composite calls are open. Called from within the step's composite for buffers. */
    void begins(StepView view) {
        if (syncsBuffers) {
            Mono<Work> call = ddp.broadcastBuffers(view.group())
                    .contextWrite(view.context())
                    .cache();
            buffers = call;
            call.subscribe(work -> {}, error -> {});
        }
        view.noFurtherCalls();
    }

    @Override
    public Flux<Gradient> gradients() {
        return Flux.create(turn::complete);
    }

    @Override
    public Mono<Void> takeBack(Gradient reduced) {
        ddp.gradient(reduced.name()).takeBack(reduced);
        return Mono.empty();
    }

    private void compute() {
        FluxSink<Gradient> sink = turn.join();
        Throwable error = null;
        if (sink != null && !sink.isCancelled()) {
            try {
                forwardAndBackward(sink);
            } catch (Exception | Error e) {
                error = refusal == null ? e : refusal;
            }
        }
        synchronized (this) {
            gradients = null;
        }
        computed.complete(null);
        if (sink != null && error == null) {
            sink.complete();
        } else if (sink != null && error != null) {
            sink.error(error);
            Exceptions.throwIfJvmFatal(error);
        }
    }

    private void forwardAndBackward(FluxSink<Gradient> sink) {
        ddp.gradients().forEach(ParameterGradient::requireUnchanged);
        Mono<Work> call = buffers;
        if (call != null) {
            call.block();
        }
        try (PointerScope _ = new PointerScope()) {
            Tensor computedLoss = Objects.requireNonNull(
                    loss.get(), "a step has no loss: the supplier returned null; return a tensor");
            begin(sink);
            computedLoss.backward();
            announceRest();
            value = computedLoss.retainReference();
        }
    }

    private synchronized void begin(FluxSink<Gradient> sink) {
        ddp.gradients().forEach(ParameterGradient::begin);
        thread = Thread.currentThread();
        gradients = sink;
    }

    @Override
    public synchronized void accumulates(ParameterGradient gradient) {
        try {
            FluxSink<Gradient> sink = gradients;
            if (sink == null) {
                throw DistributedDataParallel.outside(gradient.name());
            }
            requireAllowed(sink, gradient);
            boolean isFirst = !gradient.isInPass();
            gradient.prepare();
            if (isFirst) {
                announceLater(sink, gradient);
            }
        } catch (RuntimeException e) {
            refusal = refusal == null ? e : refusal;
            throw e;
        }
    }

    private void requireAllowed(FluxSink<Gradient> sink, ParameterGradient gradient) {
        if (sink.isCancelled()) {
            throw new CancellationException("the step has ended before its backward pass");
        }
        if (gradient.isInPass() && !ddp.options.announcesAtEnd()) {
            throw new InvalidCallException("a parameter's gradient came twice in one backward pass: name="
                    + gradient.name()
                    + "; recomputation does so: set DataParallelOptions.withAnnouncementAtEnd(true) on all ranks");
        }
    }

    private void announceLater(FluxSink<Gradient> sink, ParameterGradient gradient) {
        if (ddp.options.announcesAtEnd() || Thread.currentThread() != thread) {
            late.add(gradient);
            return;
        }
        ParameterGradient complete = last;
        last = gradient;
        if (complete != null) {
            sink.next(complete.produced());
        }
    }

    /** The backward pass has ended: all of its gradients are complete, and no other will come. */
    private synchronized void announceRest() {
        FluxSink<Gradient> sink = Objects.requireNonNull(gradients);
        if (last != null) {
            sink.next(last.produced());
        }
        late.forEach(gradient -> sink.next(gradient.produced()));
        ddp.gradients().stream()
                .filter(gradient -> !gradient.isInPass())
                .forEach(gradient -> sink.next(gradient.withoutPass(ddp.keepsHomes())));
    }
}
