package io.reactivecomm.internal.observe;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.spi.WarningLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.util.context.ContextView;

/**
 * An observer where it was added: hears until it is disposed of, or throws. A method for each moment, and no function as an argument: what an observer costs
 * is mostly what is allocated for it.
 *
 * <p><b>Threads.</b> Any.
 */
final class Listener implements Disposable {

    private static final Logger LOG = WarningLog.of(CommObserver.class);

    private final CommObserver observer;
    private final Observers place;
    private final boolean wantsCallSites;
    private volatile boolean isGone;

    Listener(CommObserver observer, Observers place) {
        this.observer = observer;
        this.place = place;
        this.wantsCallSites = asked();
    }

    private boolean asked() {
        try {
            return observer.wantsCallSites();
        } catch (Throwable e) {
            failed(e);
            return false;
        }
    }

    /** {@return whether it is told already what that one would be told} */
    boolean isOf(Listener other) {
        return observer() == other.observer();
    }

    /** {@return who hears, and not what it was wrapped in} */
    CommObserver observer() {
        return ContextObservers.unwrapped(observer);
    }

    boolean wantsCallSites() {
        return wantsCallSites && !isGone;
    }

    void subscribed(ObservedCall call, ContextView context) {
        if (!isGone) {
            try {
                observer.subscribed(call, context);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    void matched(ObservedCall call, int peer, long nanos) {
        if (!isGone) {
            try {
                observer.matched(call, peer, nanos);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    void firstByte(ObservedCall call, long nanos) {
        if (!isGone) {
            try {
                observer.firstByte(call, nanos);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    void lastByte(ObservedCall call, long nanos) {
        if (!isGone) {
            try {
                observer.lastByte(call, nanos);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        if (!isGone) {
            try {
                observer.ended(call, error, nanos);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    void happened(CommEvent event) {
        if (!isGone) {
            try {
                observer.happened(event);
            } catch (Throwable e) {
                failed(e);
            }
        }
    }

    /** Removes an observer that threw. Its error concerns neither other observers nor the engine. */
    private void failed(Throwable thrown) {
        dispose();
        LOG.error(
                "an observer threw, and hears nothing more: observer={}",
                observer().getClass().getName(),
                ErrorTexts.printable(thrown));
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
