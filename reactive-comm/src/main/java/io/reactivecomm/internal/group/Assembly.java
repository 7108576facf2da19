package io.reactivecomm.internal.group;

import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;

/** A call that is assembled: what it is before anybody subscribes to it. */
interface Assembly {

    /**
     * {@return what begins the n-th subscription, from 1, once its subscriber knows of it; its tensors are borrowed until the sink is told}
     */
    Runnable begin(int ordinal, Borrowing sink);

    /**
     * Begins the n-th subscription, from 1, with the subscription that its subscriber is given, or signals why it cannot begin. A subscriber that throws as it is
     * given its subscription counts as one that cancels: the call runs on, because other ranks count on it.
     */
    default <S extends Borrowing & Subscription> void subscribe(
            int ordinal, S subscription, CoreSubscriber<?> subscriber) {
        Runnable begin;
        try {
            begin = begin(ordinal, subscription);
        } catch (Exception | Error e) {
            subscription.giveBack();
            Exceptions.throwIfJvmFatal(e);
            Operators.error(subscriber, e);
            return;
        }
        try {
            subscriber.onSubscribe(subscription);
        } catch (Exception | Error e) {
            subscription.cancel();
            throw e;
        } finally {
            begin(subscription, subscriber, begin);
        }
    }

    private static void begin(Borrowing subscription, CoreSubscriber<?> subscriber, Runnable begin) {
        try {
            subscription.begins(subscriber);
        } finally {
            begin.run();
        }
    }
}
