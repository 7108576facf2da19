package io.reactivecomm.hook;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.InvalidCallException;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Chains that are applied once, and run several times. */
class HookChainTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int MOST_COLLECTIONS = 100;

    private final AtomicInteger passes = new AtomicInteger();
    private final Flux<Gradient> pass = Flux.defer(() -> {
        passes.incrementAndGet();
        return Flux.empty();
    });

    private static Mono<Throwable> errorOf(Flux<Gradient> gradients) {
        return gradients.then(Mono.<Throwable>empty()).onErrorResume(Mono::just);
    }

    /** Throws a checked exception undeclared, as Kotlin and Scala do. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> Flux<Gradient> undeclared(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void hookThatThrowsACheckedException_asItIsApplied_failsTheRun() {
        IOException thrown = new IOException("planted");
        GradientHook hook = ready -> HookChainTest.<RuntimeException>undeclared(thrown);
        GradientHook first = ready -> ready;
        assertThat(errorOf(first.then(hook).apply(pass)).block(LIMIT)).isSameAs(thrown);
    }

    /** A thread is at the hook when the other comes to it. */
    @Test
    @Timeout(60)
    void hookToWhichTwoThreadsSubscribeAtOnce_refusesTheSecond() {
        CountDownLatch isThere = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicInteger subscriptions = new AtomicInteger();
        GradientHook slow = ready -> Flux.defer(() -> {
            if (subscriptions.getAndIncrement() == 0) {
                isThere.countDown();
                await(mayGoOn);
            }
            return ready;
        });
        GradientHook both = ready -> Flux.defer(() -> {
            Mono<Throwable> first =
                    errorOf(ready).subscribeOn(Schedulers.boundedElastic()).cache();
            first.subscribe();
            await(isThere);
            Throwable second = errorOf(ready).block(LIMIT);
            mayGoOn.countDown();
            return first.then(Mono.justOrEmpty(second)).flux().flatMap(Mono::error);
        });
        assertThat(errorOf(slow.then(both).apply(pass)).block(LIMIT))
                .isInstanceOfSatisfying(
                        InvalidCallException.class, error -> assertThat(error).hasMessageContaining("hook=1"));
        assertThat(passes).hasValue(1);
    }

    /** An operator that lost the context comes with its subscription when its run has been left and the next waits. */
    @Test
    @Timeout(60)
    void subscriptionOfARunThatWasLeft_isNotTakenForTheNextOne_thatWaits() {
        CountDownLatch isThere = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Queue<Mono<Throwable>> late = new ConcurrentLinkedQueue<>();
        GradientHook losing = ready -> Flux.defer(() -> {
            if (runs.getAndIncrement() > 0) {
                return ready;
            }
            isThere.countDown();
            await(mayGoOn);
            Mono<Throwable> own =
                    errorOf(ready.contextWrite(lost -> Context.empty())).cache();
            own.subscribe();
            late.add(own);
            return Flux.empty();
        });
        GradientHook elsewhere = ready -> Flux.create(
                sink -> Thread.ofPlatform().start(() -> ready.subscribe(sink::next, sink::error, sink::complete)));
        Flux<Gradient> steps =
                ((GradientHook) ready -> ready).then(losing).then(elsewhere).apply(pass);
        Disposable left = steps.subscribe();
        await(isThere);
        left.dispose();
        Mono<Throwable> next = errorOf(steps).cache();
        next.subscribe();
        mayGoOn.countDown();
        assertThat(next.block(LIMIT)).isNull();
        assertThat(late.remove().block(LIMIT)).as("the one that came late").isNotNull();
        assertThat(passes).hasValue(1);
    }

    @Test
    void runThatIsOver_isKeptByNobody() {
        Flux<Gradient> steps =
                ((GradientHook) ready -> ready).then(ready -> ready).apply(pass);
        WeakReference<?> over = new WeakReference<>(steps.subscribeWith(new BaseSubscriber<>() {}));
        for (int i = 0; i < MOST_COLLECTIONS && over.get() != null; i++) {
            System.gc();
        }
        assertThat(over.get()).isNull();
        assertThat(passes).hasValue(1);
        steps.blockLast(LIMIT);
        assertThat(passes).hasValue(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
