package io.reactivecomm.testkit.chain;

import static io.reactivecomm.testkit.chain.ChainOperator.failure;
import static io.reactivecomm.testkit.chain.ChainOperator.loses;
import static io.reactivecomm.testkit.chain.ChainOperator.planted;

import io.reactivecomm.hook.Gradient;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** The operators of the catalogue that leave gradients out, or the whole hook in front of them, or hand over what does not belong. */
final class LosingOperators {

    static final List<ChainOperator> ALL = List.of(
            loses("take(0)", (ready, step) -> ready.take(0)),
            loses("take(1)", (ready, step) -> ready.take(1)),
            loses("take(2)", (ready, step) -> ready.take(2)),
            loses("take(1) of all", (ready, step) -> ready.take(1, false)),
            loses("takeUntil", (ready, step) -> ready.takeUntil(each -> true)),
            loses("takeWhile", (ready, step) -> ready.takeWhile(each -> false)),
            loses("takeLast", (ready, step) -> ready.takeLast(1)),
            loses("takeUntilOther", (ready, step) -> ready.takeUntilOther(step.allHaveBegun())),
            loses("takeUntilOther at once", (ready, step) -> ready.takeUntilOther(Mono.just(1))),
            loses("take(0) elsewhere", (ready, step) -> ready.take(0).subscribeOn(Schedulers.parallel())),
            loses("take(0) without a context", (ready, step) -> ready.take(0).contextWrite(context -> Context.empty())),
            loses(
                    "lose the context, take(1)",
                    (ready, step) ->
                            ready.contextWrite(context -> Context.empty()).take(1)),
            loses("cache, take(0)", (ready, step) -> ready.cache().take(0)),
            loses("cache, take(1)", (ready, step) -> ready.cache().take(1)),
            loses("empty", (ready, step) -> Flux.empty()),
            loses("empty late", (ready, step) -> step.allHaveBegun().thenMany(Flux.empty())),
            loses("next", (ready, step) -> ready.next().flux()),
            loses("next elsewhere", (ready, step) -> ready.next().flux().subscribeOn(Schedulers.boundedElastic())),
            loses("elementAt", (ready, step) -> ready.elementAt(0).flux()),
            loses("skip", (ready, step) -> ready.skip(1)),
            loses("skipUntilOther", (ready, step) -> ready.skipUntilOther(step.allHaveBegun())),
            loses("filter", (ready, step) -> ready.filter(each -> each.name().equals(ChainValues.name(0)))),
            loses("filter all", (ready, step) -> ready.filter(each -> false)),
            loses("ignoreElements", (ready, step) -> ready.ignoreElements().flux()),
            loses("reduce", (ready, step) -> ready.reduce((one, other) -> other).flux()),
            loses(
                    "switchMap",
                    (ready, step) -> ready.switchMap(each -> step.allHaveBegun().thenReturn(each))),
            loses("sample", (ready, step) -> ready.sample(step.allHaveBegun())),
            loses("switchOnFirst", (ready, step) -> ready.switchOnFirst((first, all) -> Flux.empty())),
            loses("firstWithSignal", (ready, step) -> Flux.firstWithSignal(ready, Flux.empty())),
            loses(
                    "onBackpressureDrop",
                    (ready, step) -> ready.onBackpressureDrop().limitRate(1)),
            loses(
                    "map throws, onErrorResume",
                    (ready, step) -> ready.<Gradient>map(each -> {
                                throw planted();
                            })
                            .onErrorResume(error -> Flux.empty())),
            loses("error, onErrorResume", (ready, step) -> failure().onErrorResume(error -> Flux.empty())),
            // It would go on after the errors of operators in front, too.
            loses(
                    "map throws once, onErrorContinue",
                    (ready, step) -> onceThrowing(ready.onErrorStop()).onErrorContinue((error, value) -> {})),
            loses(
                    "onErrorResume, take(1)",
                    (ready, step) -> ready.onErrorResume(error -> Flux.empty()).take(1)),
            loses(
                    "doOnRequest throws",
                    (ready, step) -> ready.doOnRequest(count -> {
                        throw planted();
                    })),
            loses(
                    "doAfterTerminate throws",
                    (ready, step) -> ready.doAfterTerminate(() -> {
                        throw planted();
                    })),
            loses(
                    "cancel throws, take(1)",
                    (ready, step) -> ready.doOnCancel(() -> {
                                throw planted();
                            })
                            .take(1)),
            // It may have ended well by then.
            loses(
                    "subscribe, then throw",
                    (ready, step) -> Flux.from(subscriber -> {
                        ready.subscribe(subscriber);
                        throw planted();
                    })),
            loses("rename", (ready, step) -> ready.map(each -> new Gradient(each.name() + "'", each.tensor()))),
            loses("double", (ready, step) -> ready.flatMap(each -> Flux.just(each, each))),
            loses("one more", (ready, step) -> ready.concatWith(Flux.defer(() -> Flux.just(step.stranger())))),
            loses(
                    "subscribe and cancel",
                    (ready, step) -> Flux.from(subscriber -> ready.subscribe(new Cancelling(subscriber)))),
            loses(
                    "subscribe and cancel late",
                    (ready, step) -> Flux.create(sink -> {
                        Disposable kept = ready.subscribe(ignored -> {}, ignored -> {});
                        step.allHaveBegun().subscribe(ignored -> {}, ignored -> {}, () -> {
                            kept.dispose();
                            sink.complete();
                        });
                    })),
            loses(
                    "subscribe for nobody, empty",
                    (ready, step) -> Flux.defer(() -> {
                        ready.subscribe(ignored -> {}, ignored -> {});
                        return Flux.empty();
                    })));

    private LosingOperators() {}

    private static Flux<Gradient> onceThrowing(Flux<Gradient> ready) {
        AtomicBoolean isToThrow = new AtomicBoolean(true);
        return ready.map(each -> {
            if (isToThrow.getAndSet(false)) {
                throw planted();
            }
            return each;
        });
    }

    /** A subscriber that wants nothing and says that all is well. */
    private static final class Cancelling extends BaseSubscriber<Gradient> {

        private final CoreSubscriber<? super Gradient> subscriber;

        Cancelling(Subscriber<? super Gradient> subscriber) {
            this.subscriber = Operators.toCoreSubscriber(subscriber);
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            cancel();
            Operators.complete(subscriber);
        }
    }
}
