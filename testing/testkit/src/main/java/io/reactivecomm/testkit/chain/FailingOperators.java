package io.reactivecomm.testkit.chain;

import static io.reactivecomm.testkit.chain.ChainOperator.dies;
import static io.reactivecomm.testkit.chain.ChainOperator.fails;
import static io.reactivecomm.testkit.chain.ChainOperator.failure;
import static io.reactivecomm.testkit.chain.ChainOperator.planted;

import io.reactivecomm.hook.Gradient;
import java.util.List;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** The operators of the catalogue that fail, each at another point: applied, subscribed to, asked, handed a gradient, at the end. */
final class FailingOperators {

    static final List<ChainOperator> ALL = List.of(
            fails("throw as it is applied", (ready, step) -> thrown()),
            fails("null", (ready, step) -> nothing()),
            fails("error", (ready, step) -> failure()),
            fails("error late", (ready, step) -> failure().delaySubscription(step.allHaveBegun())),
            fails("defer throws", (ready, step) -> Flux.defer(FailingOperators::thrown)),
            fails("subscribe throws", (ready, step) -> Flux.from(subscriber -> thrown())),
            fails("request throws", (ready, step) -> Flux.from(subscriber -> subscriber.onSubscribe(new Throwing()))),
            fails(
                    "cancel throws",
                    (ready, step) ->
                            ready.doOnCancel(FailingOperators::thrown).take(1).concatWith(failure())),
            fails("map throws", (ready, step) -> ready.map(each -> thrown())),
            fails("map gives null", (ready, step) -> ready.map(each -> nothing())),
            fails(
                    "map asserts",
                    (ready, step) -> ready.map(each -> {
                        throw new AssertionError("planted");
                    })),
            fails("handle fails", (ready, step) -> ready.handle((each, sink) -> sink.error(planted()))),
            fails("switchMap fails", (ready, step) -> ready.switchMap(each -> failure())),
            fails(
                    "publishOn, map throws",
                    (ready, step) -> ready.publishOn(Schedulers.parallel()).map(each -> thrown())),
            fails(
                    "subscribeOn, map throws",
                    (ready, step) ->
                            ready.subscribeOn(Schedulers.boundedElastic()).map(each -> thrown())),
            fails(
                    "map throws without a context",
                    (ready, step) -> ready.<Gradient>map(each -> thrown()).contextWrite(context -> Context.empty())),
            fails("doFirst throws", (ready, step) -> ready.doFirst(FailingOperators::thrown)),
            fails("doOnSubscribe throws", (ready, step) -> ready.doOnSubscribe(subscription -> thrown())),
            fails("doOnComplete throws", (ready, step) -> ready.doOnComplete(FailingOperators::thrown)),
            fails("doOnTerminate throws", (ready, step) -> ready.doOnTerminate(FailingOperators::thrown)),
            fails(
                    "doOnError throws",
                    (ready, step) -> ready.<Gradient>map(each -> thrown()).doOnError(error -> thrown())),
            fails("contextWrite throws", (ready, step) -> ready.contextWrite(context -> thrown())),
            fails("concatWith an error", (ready, step) -> ready.concatWith(failure())),
            fails("mergeWith an error", (ready, step) -> ready.mergeWith(failure())),
            fails(
                    "concatWith a late error",
                    (ready, step) -> ready.concatWith(step.allHaveBegun().thenMany(failure()))),
            fails(
                    "mergeWith a late error",
                    (ready, step) -> ready.mergeWith(step.allHaveBegun().thenMany(failure()))),
            fails("take(1), error", (ready, step) -> ready.take(1).concatWith(failure())),
            fails("take(0), error", (ready, step) -> ready.take(0).concatWith(failure())),
            fails(
                    "cache, take(0), error",
                    (ready, step) -> ready.cache().take(0).concatWith(failure())),
            fails(
                    "using's cleanup throws",
                    (ready, step) -> Flux.using(() -> 1, ignored -> ready, ignored -> thrown())),
            fails("subscribeOn where nothing runs", (ready, step) -> ready.subscribeOn(gone())),
            fails("publishOn where nothing runs", (ready, step) -> ready.publishOn(gone())),
            fails(
                    "subscribe for nobody, error",
                    (ready, step) -> Flux.defer(() -> {
                        ready.subscribe(ignored -> {}, ignored -> {});
                        return failure();
                    })),
            fails(
                    "subscribe elsewhere, error",
                    (ready, step) ->
                            ready.subscribeOn(Schedulers.boundedElastic()).mergeWith(failure())),
            fails(
                    "retry in vain",
                    (ready, step) -> ready.<Gradient>map(each -> thrown()).retry(2)),
            fails(
                    "time out",
                    (ready, step) -> Flux.<Gradient>never().timeout(step.allHaveBegun(), each -> Mono.never())),
            dies("die as it is applied", (ready, step) -> dead(new StackOverflowError("planted"))),
            dies(
                    "die as it is subscribed to",
                    (ready, step) -> ready.doOnSubscribe(subscription -> dead(new OutOfMemoryError("planted")))),
            dies("die in its place", (ready, step) -> Flux.defer(() -> dead(new NoClassDefFoundError("planted")))));

    private FailingOperators() {}

    private static <T> T thrown() {
        throw planted();
    }

    /** Reactor logs each, and where it comes from is known. */
    private static <T> T dead(Error fatal) {
        fatal.setStackTrace(new StackTraceElement[0]);
        throw fatal;
    }

    /** {@return null, where a program must not give it} */
    @SuppressWarnings("NullAway")
    private static <T> T nothing() {
        return null;
    }

    private static Scheduler gone() {
        Scheduler gone = Schedulers.newSingle("gone");
        gone.dispose();
        return gone;
    }

    /** A subscription of which nothing can be asked. */
    private static final class Throwing implements Subscription {

        @Override
        public void request(long gradients) {
            throw planted();
        }

        @Override
        public void cancel() {}
    }
}
