package io.reactivecomm.testkit.chain;

import static io.reactivecomm.testkit.chain.ChainOperator.waits;

import io.reactivecomm.hook.Gradient;
import java.util.List;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/** The operators of the catalogue that never end by themselves: their step is cancelled, and some do not pass that on. */
final class EndlessOperators {

    static final List<ChainOperator> ALL = List.of(
            waits("never", (ready, step) -> Flux.never()),
            waits("concatWith never", (ready, step) -> ready.concatWith(Flux.never())),
            waits("take(1), never", (ready, step) -> ready.take(1).concatWith(Flux.never())),
            waits("flatMap never", (ready, step) -> ready.flatMap(each -> Mono.never())),
            waits("cache, flatMap never", (ready, step) -> ready.cache().flatMap(each -> Mono.never())),
            waits("delaySubscription for ever", (ready, step) -> ready.delaySubscription(Mono.never())),
            waits(
                    "onErrorResume never",
                    (ready, step) -> ready.onErrorResume(error -> Flux.never())
                            .ignoreElements()
                            .thenMany(Flux.never())),
            waits("ask for nothing", (ready, step) -> asking(ready, 0)),
            waits("ask for one", (ready, step) -> asking(ready, 1)),
            waits(
                    "pass no cancellation on",
                    (ready, step) -> Flux.create(sink -> ready.subscribe(ignored -> {}, ignored -> {}))));

    private EndlessOperators() {}

    private static Flux<Gradient> asking(Flux<Gradient> ready, int count) {
        return Flux.create(sink -> {
            Asking asking = new Asking(sink, count);
            sink.onDispose(asking);
            ready.subscribe(asking);
        });
    }

    /** A subscriber that asks once. */
    private static final class Asking extends BaseSubscriber<Gradient> {

        private final FluxSink<Gradient> sink;
        private final int count;

        Asking(FluxSink<Gradient> sink, int count) {
            this.sink = sink;
            this.count = count;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            if (count > 0) {
                request(count);
            }
        }

        @Override
        protected void hookOnNext(Gradient gradient) {
            sink.next(gradient);
        }

        @Override
        protected void hookOnError(Throwable error) {}
    }
}
