package io.reactivecomm.internal.train;

import io.reactivecomm.CompositeView;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Switched;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.context.Context;

/**
 * The composite call of one hook in one step, held open from outside: its body emits nothing and ends when the step says so.
 *
 * <pre>
 *   open ──&gt; body ─┬─ complete, fail ──&gt; all ranks are notified ──┬── the calls inside have ended ──&gt; ended
 *                  ├─ it fails elsewhere ──&gt; stopped ─────────────┤
 *                  └─ leave ──&gt; ranks that wait for more fail ────┘
 * </pre>
 *
 * <p><b>Threads.</b> Any. The first of complete, fail and leave counts.
 */
final class HeldComposite implements Publisher<Object>, Subscription {

    /** The taker of its news, on the group's loop or the thread that opens it. {@link #ended} comes once and last. */
    interface Listener {

        /** It has failed elsewhere: no further call begins. */
        void stopped();

        /** No call in it is in flight. @param error why it failed; null if it has completed or was left */
        void ended(@Nullable Throwable error);
    }

    private final ProcessGroup group;
    private final String operation;
    private final Listener listener;
    private final AtomicBoolean isDecided = new AtomicBoolean();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private volatile @Nullable Run run;
    private volatile @Nullable ProcessGroup inside;
    private volatile @Nullable Subscriber<? super Object> body;

    HeldComposite(ProcessGroup group, String operation, Listener listener) {
        this.group = group;
        this.operation = operation;
        this.listener = listener;
    }

    /** The subscriber of the composite call, whose result is its end. */
    private final class Run extends BaseSubscriber<Object> {

        private final Context context;

        private Run(Context context) {
            this.context = context;
        }

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        protected void hookOnComplete() {
            over(null);
        }

        @Override
        protected void hookOnError(Throwable error) {
            over(error);
        }
    }

    /**
     * Opens it, also if the group throws: other ranks count on it. Its end is that error then.
     *
     * @param context of the step's subscriber
     */
    void open(Context context) {
        Throwable thrown = null;
        ProcessGroup switched = group;
        boolean isOff = false;
        try {
            ProcessGroup kept = Switched.kept(group);
            isOff = Switched.isOff(kept, Operation.ALL_REDUCE);
            switched = isOff ? Switched.off(kept) : Switched.on(kept);
        } catch (Exception | Error e) {
            thrown = e;
        }
        try {
            subscribe(context, switched, isOff);
        } catch (Exception | Error e) {
            over(e);
            throw e;
        }
        if (thrown != null) {
            fail(thrown);
        }
    }

    private void subscribe(Context context, ProcessGroup switched, boolean isOff) {
        // A group of the program's own may have no switches.
        Run opening = new Run(
                switched instanceof Switched ? context.put(Switched.class, switched) : context.delete(Switched.class));
        run = opening;
        Switched.on(group)
                .composite(operation)
                .waitingOnly()
                .flux(view -> {
                    inside = isOff && view instanceof Switched off ? off.switched(Set.of(Operation.ALL_REDUCE)) : view;
                    return this;
                })
                .subscribe(opening);
    }

    @Override
    public void subscribe(Subscriber<? super Object> subscriber) {
        body = subscriber;
        subscriber.onSubscribe(this);
    }

    @Override
    public void request(long items) {
        // It has none.
    }

    /** The composite call no longer needs its body. */
    @Override
    public void cancel() {
        if (!isDecided.get()) {
            listener.stopped();
        }
    }

    private void over(@Nullable Throwable error) {
        if (isOver.compareAndSet(false, true)) {
            listener.ended(error);
        }
    }

    /** {@return the view for the calls in it; null if it has never been open} */
    @Nullable ProcessGroup inside() {
        return inside;
    }

    void noFurtherCalls() {
        if (inside instanceof CompositeView view) {
            view.noFurtherCalls();
        }
    }

    void complete() {
        Subscriber<?> begun = body;
        if (begun != null && isDecided.compareAndSet(false, true)) {
            begun.onComplete();
        }
    }

    void fail(Throwable error) {
        Subscriber<?> begun = body;
        if (begun != null && isDecided.compareAndSet(false, true)) {
            begun.onError(error);
        }
    }

    /** Leaves it, after it was opened. */
    void leave() {
        Run opened = run;
        if (opened != null && isDecided.compareAndSet(false, true)) {
            opened.cancel();
            // The subscriber of a run that it has cancelled gets no end.
            if (inside instanceof CompositeView view) {
                view.callsEnded().subscribe(nothing -> {}, this::over, () -> over(null));
            } else {
                over(null);
            }
        }
    }
}
