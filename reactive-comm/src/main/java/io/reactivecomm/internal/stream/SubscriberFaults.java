package io.reactivecomm.internal.stream;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.ProgramError;
import io.reactivecomm.internal.base.Warnings;
import org.slf4j.Logger;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;

/**
 * Exceptions that subscribers throw, against the Reactive Streams rules: it is dropped the way Reactor does, and the loop goes on. What is
 * fatal to the JVM is thrown on, and ends the world; what Reactor alone calls fatal is not.
 */
public final class SubscriberFaults {

    private static final Logger LOG = Warnings.of(SubscriberFaults.class);

    private SubscriberFaults() {}

    /** What was thrown by a subscriber that has been told of its end. */
    public static void drop(Throwable error, CoreSubscriber<?> subscriber) {
        ProgramError.throwIfFatal(error);
        try {
            Operators.onErrorDropped(error, subscriber.currentContext());
        } catch (Exception | Error e) {
            ProgramError.throwIfFatal(e);
            LOG.error("a subscriber threw, and so did what errors are dropped into", ErrorTexts.printable(error));
        }
    }

    /** What was thrown by a subscriber that has not: it is told of that before what is fatal is thrown on. */
    public static void dropAndEnd(Throwable error, CoreSubscriber<?> subscriber) {
        if (Exceptions.isJvmFatal(error)) {
            try {
                subscriber.onError(error);
            } catch (Exception | Error e) {
                LOG.error(
                        "a subscriber threw again when it was told of a fatal error of its own",
                        ErrorTexts.printable(e));
            }
        }
        drop(error, subscriber);
    }
}
