package io.reactivecomm.hook;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One step of training as a framework runs it: what it hands over, and what becomes of what comes back.
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
     * Each name comes at most once, and the same names on all ranks. It completes when the pass has ended.
     */
    Flux<Gradient> gradients();

    /**
     * Takes a gradient back that has been through all hooks.
     *
     * <p><b>Threads.</b> Called on a thread of the last hook's, such as a group's loop, perhaps while the backward pass goes on: what is more
     * than a moment's work belongs on a scheduler of the framework's. Gradients may be taken side by side.
     *
     * @return completes when the framework is done with it
     */
    Mono<Void> takeBack(Gradient reduced);
}
