package io.reactivecomm.engine;

import io.reactivecomm.Work;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * An assembled call: cold, identified, and subscribed to as often as one likes, each time as a call of its own.
 *
 * <p><b>Threads.</b> Any.
 */
final class CallMono extends Mono<Work> {

    private final RankDriver driver;
    private final Assembly assembly;
    private final AtomicInteger subscriptions = new AtomicInteger();

    CallMono(RankDriver driver, Assembly assembly) {
        this.driver = driver;
        this.assembly = assembly;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Work> subscriber) {
        CallSubscription subscription = new CallSubscription(subscriber, driver.loop());
        assembly.subscribe(subscriptions.incrementAndGet(), subscription, subscriber);
    }
}
