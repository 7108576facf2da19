package io.reactivecomm.train;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One step of training as a framework runs it: the gradients that it produces, and the use that it makes of the results.
 *
 * <p>A framework on another language's runtime, or one that calls back, makes {@link #gradients()} of a sink:
 *
 * <pre>{@code
 * public Flux<Gradient> gradients() {
 *     return Flux.create(sink -> {
 *         network.backward((name, values) -> sink.next(new Gradient(name, values)));
 *         sink.complete();
 *     });
 * }
 * }</pre>
 */
public interface TrainingStep {

    /**
     * {@return the gradients of this step, each as soon as it is ready; subscribing to it runs the backward pass}
     * Each name comes at most once, as a gradient or as a notice ({@link Gradient#absent}, {@link Gradient#kept}). Ranks may produce different gradients and in
     * different orders. The {@code Flux} completes when the pass has ended.
     */
    Flux<Gradient> gradients();

    /**
     * Takes a gradient that has been through all hooks. It need not be one that this rank produced: a parameter that another rank used comes back on all ranks.
     *
     * <p><b>Threads.</b> Called one at a time, on the thread that had the result, such as a group's loop, perhaps while the backward pass still computes. It must
     * not block; longer work belongs on a scheduler of the framework's. The {@code Mono}s of several gradients run side by side.
     *
     * <p><b>Buffers.</b> If this rank produced the gradient, the tensor is the one that it handed over, or has rows that the framework closes. Otherwise the tensor is the
     * buckets' own. It is valid until the next step begins, and the framework does not close it.
     *
     * @return completes when the framework is done with it; the step ends after that
     */
    Mono<Void> takeBack(Gradient reduced);
}
