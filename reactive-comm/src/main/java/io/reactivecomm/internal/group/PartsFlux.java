package io.reactivecomm.internal.group;

import io.reactivecomm.Part;
import io.reactivecomm.internal.driver.RankDriver;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * An assembled collective that tells of the parts of its result as they land: cold, and each subscription a call of its own.
 *
 * <p><b>Threads.</b> Any.
 */
final class PartsFlux extends Flux<Part> {

    private final RankDriver driver;
    private final Assembly assembly;
    private final Supplier<Landing> landing;
    private final AtomicInteger subscriptions = new AtomicInteger();

    /** @param landing makes what one subscription keeps of the output */
    PartsFlux(RankDriver driver, Assembly assembly, Supplier<Landing> landing) {
        this.driver = driver;
        this.assembly = assembly;
        this.landing = landing;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Part> subscriber) {
        PartsSubscription subscription = new PartsSubscription(subscriber, driver.answers(), landing.get());
        assembly.subscribe(subscriptions.incrementAndGet(), subscription, subscriber);
    }
}
