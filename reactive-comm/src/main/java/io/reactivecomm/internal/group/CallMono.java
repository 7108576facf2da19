package io.reactivecomm.internal.group;

import io.reactivecomm.Work;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.Composite;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * An assembled call: cold, identified, and subscribed to as often as one likes, each time as a call of its own.
 *
 * <p><b>Threads.</b> Any.
 */
final class CallMono extends Mono<Work> {

    private static final AtomicIntegerFieldUpdater<CallMono> SUBSCRIPTIONS =
            AtomicIntegerFieldUpdater.newUpdater(CallMono.class, "subscriptions");

    private final RankDriver driver;
    private final Assembly assembly;
    /** The run whose body has assembled the call, or null: who else calls in a run goes on with results outside of its body. */
    private final @Nullable Composite body;

    @SuppressWarnings("unused") // by its updater
    private volatile int subscriptions;

    /** @param within the run of a composite call that the call is in, or null */
    CallMono(RankDriver driver, @Nullable Composite within, Assembly assembly) {
        this.driver = driver;
        this.body = within != null && BodyThread.running() == within ? within : null;
        this.assembly = assembly;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Work> subscriber) {
        CallSubscription subscription = new CallSubscription(subscriber, driver.answers(), body);
        assembly.subscribe(SUBSCRIPTIONS.incrementAndGet(this), subscription, subscriber);
    }
}
