package io.reactivecomm.internal.observe;

import io.reactivecomm.observe.CommObserver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Exceptions;

/**
 * An observer where it was added: hears until it is disposed of, or throws.
 *
 * <p><b>Threads.</b> Any.
 */
final class Listener implements Disposable {

    private static final Logger LOG = LoggerFactory.getLogger(CommObserver.class);

    private final CommObserver observer;
    private final Observers place;
    private volatile boolean isGone;

    Listener(CommObserver observer, Observers place) {
        this.observer = observer;
        this.place = place;
    }

    /** {@return whom to tell, or null if it hears nothing any more} */
    @Nullable CommObserver observer() {
        return isGone ? null : observer;
    }

    /** It threw: that is nobody else's; what is fatal to the JVM is still thrown. */
    void failed(Throwable thrown) {
        dispose();
        LOG.error("an observer threw, and hears nothing more: observer={}", observer.getClass().getName(), thrown);
        Exceptions.throwIfJvmFatal(thrown);
    }

    @Override
    public void dispose() {
        isGone = true;
        place.remove(this);
    }

    @Override
    public boolean isDisposed() {
        return isGone;
    }
}
