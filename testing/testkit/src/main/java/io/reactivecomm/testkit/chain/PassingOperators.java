package io.reactivecomm.testkit.chain;

import static io.reactivecomm.testkit.chain.ChainOperator.passes;
import static io.reactivecomm.testkit.chain.ChainOperator.swallows;

import io.reactivecomm.hook.Gradient;
import java.util.Comparator;
import java.util.List;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** The operators of the catalogue that let all gradients through: a step with these alone is right on all ranks. */
final class PassingOperators {

    static final List<ChainOperator> ALL = List.of(
            passes("subscribeOn", (ready, step) -> ready.subscribeOn(Schedulers.boundedElastic())),
            passes("publishOn", (ready, step) -> ready.publishOn(Schedulers.parallel())),
            passes("publishOn, one by one", (ready, step) -> ready.publishOn(Schedulers.boundedElastic(), 1)),
            passes("cancelOn", (ready, step) -> ready.cancelOn(Schedulers.boundedElastic())),
            passes("delaySubscription", (ready, step) -> ready.delaySubscription(step.allHaveBegun())),
            passes("delayUntil", (ready, step) -> ready.delayUntil(each -> step.allHaveBegun())),
            passes(
                    "flatMap late",
                    (ready, step) -> ready.flatMap(each -> step.allHaveBegun().thenReturn(each))),
            passes("concatMap", (ready, step) -> ready.concatMap(Mono::just)),
            passes("limitRate", (ready, step) -> ready.limitRate(1)),
            passes("hide", (ready, step) -> ready.hide()),
            passes("cache", (ready, step) -> ready.cache()),
            passes("share", (ready, step) -> ready.share()),
            passes("replay", (ready, step) -> ready.replay().autoConnect()),
            passes("retry", (ready, step) -> ready.retry(1)),
            passes("materialize", (ready, step) -> ready.materialize().dematerialize()),
            passes("defer", (ready, step) -> Flux.defer(() -> ready)),
            passes("create", (ready, step) -> through(ready)),
            passes("create elsewhere", (ready, step) -> through(ready).subscribeOn(Schedulers.boundedElastic())),
            passes("transformDeferred", (ready, step) -> ready.transformDeferred(each -> each.map(step::copy))),
            passes("collect", (ready, step) -> ready.collectList().flatMapIterable(all -> all)),
            passes("collect, then", (ready, step) -> {
                Mono<List<Gradient>> all = ready.collectList().cache();
                return all.then().thenMany(all.flatMapIterable(each -> each));
            }),
            passes("buffer", (ready, step) -> ready.buffer(2).flatMapIterable(some -> some)),
            passes("window", (ready, step) -> ready.window(2).concatMap(some -> some)),
            passes(
                    "groupBy",
                    (ready, step) ->
                            ready.groupBy(each -> each.name().hashCode() % 2).flatMap(some -> some)),
            passes("sort", (ready, step) -> ready.sort(Comparator.comparing(Gradient::name))),
            passes("onBackpressureBuffer", (ready, step) -> ready.onBackpressureBuffer()),
            passes("takeUntilOther never", (ready, step) -> ready.takeUntilOther(Mono.never())),
            passes("mergeWith nothing", (ready, step) -> ready.mergeWith(Flux.empty())),
            passes("concatWith nothing", (ready, step) -> ready.concatWith(Flux.empty())),
            passes("concatDelayError", (ready, step) -> Flux.concatDelayError(ready, Flux.empty())),
            passes("switchOnFirst", (ready, step) -> ready.switchOnFirst((first, all) -> all)),
            passes(
                    "parallel",
                    (ready, step) ->
                            ready.parallel(2).runOn(Schedulers.parallel()).sequential()),
            passes("using", (ready, step) -> Flux.using(() -> 1, ignored -> ready, ignored -> {})),
            passes(
                    "usingWhen",
                    (ready, step) -> Flux.usingWhen(Mono.just(1), ignored -> ready, ignored -> Mono.empty())),
            passes("copy", (ready, step) -> ready.map(step::copy)),
            passes("lose the context", (ready, step) -> ready.contextWrite(context -> Context.empty())),
            passes(
                    "lose the context elsewhere",
                    (ready, step) ->
                            ready.contextWrite(context -> Context.empty()).subscribeOn(Schedulers.parallel())),
            passes(
                    "plain subscriber",
                    (ready, step) -> Flux.from(subscriber -> ready.subscribe(new Plain(subscriber)))),
            swallows("onErrorResume", (ready, step) -> ready.onErrorResume(error -> Flux.empty())),
            swallows(
                    "onErrorComplete late",
                    (ready, step) ->
                            ready.onErrorResume(error -> step.allHaveBegun().thenMany(Flux.empty()))));

    private PassingOperators() {}

    private static Flux<Gradient> through(Flux<Gradient> ready) {
        return Flux.create(sink -> sink.onDispose(ready.subscribe(sink::next, sink::error, sink::complete)));
    }

    /** A subscriber that is none of Reactor's, and so has no context. */
    private record Plain(Subscriber<? super Gradient> subscriber) implements Subscriber<Gradient> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscriber.onSubscribe(subscription);
        }

        @Override
        public void onNext(Gradient gradient) {
            subscriber.onNext(gradient);
        }

        @Override
        public void onError(Throwable error) {
            subscriber.onError(error);
        }

        @Override
        public void onComplete() {
            subscriber.onComplete();
        }
    }
}
