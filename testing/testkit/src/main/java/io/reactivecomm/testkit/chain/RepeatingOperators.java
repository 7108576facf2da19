package io.reactivecomm.testkit.chain;

import static io.reactivecomm.testkit.chain.ChainOperator.planted;
import static io.reactivecomm.testkit.chain.ChainOperator.repeats;

import io.reactivecomm.hook.Gradient;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** The operators of the catalogue that subscribe to what is in front of them more than once: behind each other, side by side, or when all is over. */
final class RepeatingOperators {

    static final List<ChainOperator> ALL = List.of(
            repeats("repeat", (ready, step) -> ready.repeat(1)),
            repeats(
                    "repeatWhen",
                    (ready, step) -> ready.repeatWhen(ends -> ends.take(1).delayUntil(end -> step.allHaveBegun()))),
            repeats("take(1), repeat", (ready, step) -> ready.take(1).repeat(1)),
            repeats("retry", (ready, step) -> throwingOnce(ready).retry(1)),
            repeats(
                    "retryWhen",
                    (ready, step) -> throwingOnce(ready)
                            .retryWhen(Retry.from(
                                    failures -> failures.take(1).delayUntil(failure -> step.allHaveBegun())))),
            repeats(
                    "onErrorResume with itself",
                    (ready, step) -> throwingOnce(ready).onErrorResume(error -> ready)),
            repeats("mergeWith itself", (ready, step) -> ready.mergeWith(ready)),
            repeats(
                    "mergeWith itself elsewhere",
                    (ready, step) -> ready.mergeWith(ready.subscribeOn(Schedulers.boundedElastic()))),
            repeats(
                    "merge two elsewhere",
                    (ready, step) -> ready.subscribeOn(Schedulers.boundedElastic())
                            .mergeWith(ready.subscribeOn(Schedulers.boundedElastic()))),
            repeats("concatWith itself", (ready, step) -> ready.concatWith(ready)),
            repeats("zipWith itself", (ready, step) -> ready.zipWith(ready, (one, other) -> one)),
            repeats("take(0), then itself", (ready, step) -> ready.take(0).concatWith(ready)),
            repeats("next, then itself", (ready, step) -> ready.next().thenMany(ready)),
            repeats(
                    "filter all, or itself",
                    (ready, step) -> ready.filter(each -> false).switchIfEmpty(ready)),
            repeats(
                    "timeout, or itself",
                    (ready, step) -> ready.timeout(step.allHaveBegun(), each -> Flux.never(), ready)),
            repeats(
                    "subscribe for nobody, too",
                    (ready, step) -> Flux.defer(() -> {
                        ready.subscribe(ignored -> {}, ignored -> {});
                        return ready;
                    })),
            repeats(
                    "subscribe for nobody late, too",
                    (ready, step) -> Flux.defer(() -> {
                        step.allHaveBegun().thenMany(ready).subscribe(ignored -> {}, ignored -> {});
                        return ready;
                    })),
            repeats(
                    "subscribe for nobody late",
                    (ready, step) -> Flux.defer(() -> {
                        step.allHaveBegun().thenMany(ready).subscribe(ignored -> {}, ignored -> {});
                        return Flux.empty();
                    })));

    private RepeatingOperators() {}

    private static Flux<Gradient> throwingOnce(Flux<Gradient> ready) {
        AtomicBoolean isToThrow = new AtomicBoolean(true);
        return ready.map(each -> {
            if (isToThrow.getAndSet(false)) {
                throw planted();
            }
            return each;
        });
    }
}
