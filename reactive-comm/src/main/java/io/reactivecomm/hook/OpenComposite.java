package io.reactivecomm.hook;

import io.reactivecomm.CompositeView;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Switched;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/**
 * One run of a composite call that somebody holds open, makes calls in, and ends. Results go their own way, so they come even if the run fails: its
 * body emits nothing.
 *
 * <pre>
 *   open ──&gt; body ─┬─ allMade ──&gt; who waits for more hears of it ── the run goes on
 *                  ├─ complete, fail ──&gt; all ranks hear of it ── the calls inside have ended ──&gt; ended
 *                  ├─ it fails elsewhere ──&gt; stopped ──────────── the calls inside have ended ──&gt; ended
 *                  └─ cancel ──&gt; who waits for more hears of it; nothing is told here
 * </pre>
 *
 * <p><b>Threads.</b> Any. The first end is the one that counts.
 */
final class OpenComposite {

    /** The taker of what becomes of a run. Told on the group's loop, or on the thread that opens it. */
    interface Listener {

        /** The run has failed elsewhere: no further call begins. {@link #ended} follows. */
        void stopped();

        /** No call in the run is under way any more. @param error why it failed, or null */
        void ended(@Nullable Throwable error);
    }

    private final Listener listener;
    private final Run run;
    private final Body body = new Body();
    private final AtomicBoolean isDecided = new AtomicBoolean();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private volatile boolean isStopped;
    private volatile @Nullable ProcessGroup inside;

    /**
     * @param context that of the run, for what looks at contexts
     * @param switched a view with the switches as they are when the step opens
     */
    OpenComposite(Listener listener, Context context, ProcessGroup switched) {
        this.listener = listener;
        Context own = context.put(OpenComposite.class, this);
        // A group of the program's own that stands before one of the library's has no switches to show.
        this.run =
                new Run(switched instanceof Switched ? own.put(Switched.class, switched) : own.delete(Switched.class));
    }

    /**
     * {@return a composite call, assembled now, whose runs can be held open; its deadline counts while a call in it waits}
     * No switch applies to the calls in it: a run may be of a step that is off as a whole.
     */
    static Flux<Object> call(ProcessGroup group, String operation) {
        return Switched.on(group)
                .composite(operation)
                .waitingOnly()
                .flux(inside -> Flux.deferContextual(context ->
                        context.<OpenComposite>get(OpenComposite.class).body(inside)));
    }

    private final class Run extends BaseSubscriber<Object> {

        private final Context context;

        Run(Context context) {
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

    /** The result of the composite call's body: nothing, until somebody ends it. */
    private final class Body implements Publisher<Object>, Subscription {

        private volatile @Nullable Subscriber<? super Object> subscriber;

        @Override
        public void subscribe(Subscriber<? super Object> run) {
            subscriber = run;
            run.onSubscribe(this);
        }

        @Override
        public void request(long items) {}

        @Override
        public void cancel() {
            stop();
        }
    }

    private Publisher<Object> body(ProcessGroup view) {
        inside = view;
        return body;
    }

    /** Begins the run. A run that another rank has failed before is not open afterwards. An exception from the subscription ends the run and is rethrown. */
    void open(Flux<Object> call) {
        try {
            call.subscribe(run);
        } catch (Exception | Error e) {
            over(e);
            throw e;
        }
    }

    private void stop() {
        isStopped = true;
        if (!isDecided.get()) {
            listener.stopped();
        }
    }

    private void over(@Nullable Throwable error) {
        isStopped = true;
        if (isOver.compareAndSet(false, true)) {
            listener.ended(error);
        }
    }

    /** {@return whether calls can begin in it} */
    boolean isOpen() {
        return inside != null && !isStopped && !isDecided.get();
    }

    /**
     * {@return what calls are made through}
     *
     * @throws IllegalStateException if it never was open
     */
    ProcessGroup inside() {
        ProcessGroup view = inside;
        if (view == null) {
            throw new IllegalStateException(
                    "a composite call is not open: it had failed on another rank before; look whether it is open"
                            + " first");
        }
        return view;
    }

    /** No further call is made in it. What has begun goes on, and it may still fail. */
    void allMade() {
        if (inside instanceof CompositeView view) {
            view.noFurtherCalls();
        }
    }

    /** {@return an action that ends a claim of a gradient's memory, which begins now} */
    Runnable claim(String gradient, List<Tensor> reads, List<Tensor> writes) {
        return inside instanceof CompositeView view
                ? view.claim("gradient reduction", gradient + " in " + view.step(), reads, writes)
                : () -> {};
    }

    /** {@return the run in messages, such as {@code step 3 of gradient buckets grads#0}; empty if it has not begun} */
    String step() {
        return inside instanceof CompositeView view ? view.step() : "";
    }

    void complete() {
        Subscriber<?> begun = body.subscriber;
        if (decide() && begun != null) {
            begun.onComplete();
        }
    }

    void fail(Throwable error) {
        Subscriber<?> begun = body.subscriber;
        if (decide() && begun != null) {
            begun.onError(error);
        }
    }

    /** Never while it is being opened: a run whose subscriber leaves before its body is called is one that no rank hears of. */
    void cancel() {
        if (decide()) {
            run.cancel();
        }
    }

    private boolean decide() {
        return isDecided.compareAndSet(false, true);
    }
}
