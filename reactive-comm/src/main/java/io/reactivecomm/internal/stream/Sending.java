package io.reactivecomm.internal.stream;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.ProgramError;
import io.reactivecomm.internal.base.Thrown;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The sending end of a stream: subscribes to the source, and asks it for no more than both the receiver and its own subscriber ask for.
 *
 * <pre>
 *   Credit, request(n) ──&gt; source.request    min(credit, demand), and at most {@link Receiving#WINDOW} not yet sent
 *   source.onNext ──&gt; item note, payload ──&gt; receiver;  both have left ──&gt; onNext, in order
 *   source ends, or is no longer wanted ──&gt; Last, end note ──&gt; receiver
 *   Cancelled, Refused, cancel, a failure ──&gt; source.cancel
 *   Done ──&gt; this end is over
 * </pre>
 *
 * <p>A tensor on a device is {@linkplain HostCopy copied} to the host first, and what follows it waits.
 *
 * <p>Calls are begun by the pump alone, so what the source emits and what ends it keep their order whatever threads they come on. Answers
 * of the receiver are awaited without a deadline: a reader may pause.
 *
 * <p><b>Threads.</b> As {@link StreamEnd} says; an error of the source may be told on the source's thread.
 */
final class Sending extends StreamEnd implements CoreSubscriber<Tensor> {

    private static final int LAST = Receiving.WINDOW;
    private static final int END = LAST + 1;
    private static final int ANSWER = LAST + 2;
    private static final int PLACES = LAST + 3;

    private final ProcessGroup group;
    private final Queue<Tensor> incoming = new ConcurrentLinkedQueue<>();
    /** What has been handed to calls and not told of. Added to by the pump, taken from by the teller. */
    private final Queue<Outgoing> items = new ConcurrentLinkedQueue<>();
    /** Why the stream fails; the first reason stays. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    /** Tensors that the receiver wants in all. Written by the teller. */
    private final AtomicLong credit = new AtomicLong();
    /** Tensors that have been sent whole. Written by the teller. */
    private final AtomicLong emitted = new AtomicLong();

    private volatile @Nullable Subscription source;
    private volatile boolean sourceEnded;
    /** Nothing more is to be sent, whatever the source has. */
    private volatile boolean stopped;
    /** Nothing more is sent. Written by the pump. */
    private volatile boolean finished;
    /** Tensors that the source was asked for. Written by the pump. */
    private volatile long asked;
    /** The source's. */
    private long got;
    /** The pump's. */
    private long sent;

    private boolean sourceCancelled;
    /** The pump's: what is being copied to the host, so that what follows it waits. */
    private @Nullable HostCopy copying;
    /** The teller's: whether the receiver needs nothing more for the stream to be complete. */
    private boolean endTold;
    /** The teller's: whether no answer follows. */
    private boolean answersEnded;

    Sending(
            ProcessGroup group,
            ResultLoop loop,
            Runnable whenOver,
            Consumer<@Nullable Throwable> told,
            StreamMessages lines,
            CoreSubscriber<? super Tensor> subscriber) {
        super(loop, whenOver, told, lines, new ControlMessages(group, PLACES), subscriber);
        this.group = group;
        awaitAnswer();
    }

    /** A tensor on its way. The teller's. */
    private static final class Outgoing {

        private final Tensor tensor;
        /** What is sent: the tensor itself, or its copy. */
        private final Tensor payload;

        private int callsLeft = 2;
        private boolean failed;

        private Outgoing(Tensor tensor, Tensor payload) {
            this.tensor = tensor;
            this.payload = payload;
        }

        private void closeCopy() {
            if (payload != tensor) {
                payload.close();
            }
        }
    }

    /** Subscribes to the source. An exception from it ends the stream on both ranks; a fatal error is also rethrown. */
    void take(Flux<? extends Tensor> tensors) {
        try {
            tensors.subscribe(this);
        } catch (Exception | Error e) {
            Thrown.keepInterrupt(e);
            stop(e);
            Exceptions.throwIfFatal(e);
        }
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (Operators.validate(source, subscription)) {
            source = subscription;
            pump();
        }
    }

    @Override
    public void onNext(Tensor tensor) {
        if (sourceEnded) {
            Operators.onNextDropped(tensor, context);
        } else if (got == asked) {
            Operators.onDiscard(tensor, context);
            stop(Exceptions.failWithOverflow("the source of a stream emits more than it was asked for: call=" + lines
                    + ", asked=" + asked + "; let it follow the Reactive Streams rules"));
        } else {
            got++;
            incoming.add(tensor);
            pump();
        }
    }

    @Override
    public void onError(Throwable error) {
        if (sourceEnded) {
            Operators.onErrorDropped(error, context);
            return;
        }
        failure.compareAndSet(null, error);
        onComplete();
    }

    @Override
    public void onComplete() {
        sourceEnded = true;
        pump();
    }

    @Override
    void onCancel() {
        failure.compareAndSet(null, new CommException("its subscriber cancelled it on the sending rank"));
        stopped = true;
    }

    @Override
    @Nullable Throwable untold() {
        return failure.get();
    }

    @Override
    void fail(Throwable error) {
        stop(error);
    }

    private void stop(Throwable error) {
        failure.compareAndSet(null, error);
        stopped = true;
        pump();
    }

    @Override
    void act() {
        boolean ended = sourceEnded;
        takeCopy();
        for (Tensor tensor = next(); tensor != null; tensor = next()) {
            if (finished || stopped) {
                Operators.onDiscard(tensor, context);
            } else if (HostCopy.isNeeded(tensor)) {
                copy(tensor);
            } else {
                send(tensor, tensor);
            }
        }
        if (copying == null && !finished && (stopped || ended)) {
            finish();
        }
        Subscription upstream = source;
        if (upstream == null || sourceEnded) {
            return;
        }
        if (!finished) {
            ask(upstream);
        } else if (!sourceCancelled) {
            sourceCancelled = true;
            cancel(upstream);
        }
    }

    private @Nullable Tensor next() {
        return copying == null ? incoming.poll() : null;
    }

    /** Links order what they are given: so the next tensor is not taken before this one is. */
    private void copy(Tensor tensor) {
        HostCopy copy = new HostCopy(tensor);
        copying = copy;
        aside(() -> copy.begin(group, this::pump), copied -> {}, error -> copy.fail(error, this::pump));
    }

    /** Goes on with the copy that was made, if one was. */
    private void takeCopy() {
        HostCopy copy = copying;
        if (copy == null || !copy.hasEnded()) {
            return;
        }
        copying = null;
        Tensor payload = copy.copy();
        if (payload != null && copy.error() == null && !finished && !stopped) {
            send(copy.original, payload);
            return;
        }
        if (payload != null) {
            payload.close();
        }
        Operators.onDiscard(copy.original, context);
        if (copy.error() != null) {
            stop(copy.error());
        }
    }

    private void ask(Subscription upstream) {
        long more = Math.min(Math.min(credit.get(), demand.get()), emitted.get() + Receiving.WINDOW) - asked;
        if (more > 0) {
            asked += more;
            try {
                upstream.request(more);
            } catch (Exception | Error e) {
                stop(e);
                ProgramError.throwIfFatal(e);
            }
        }
    }

    private void cancel(Subscription upstream) {
        try {
            upstream.cancel();
        } catch (Exception | Error e) {
            ProgramError.throwIfFatal(e);
            Operators.onErrorDropped(e, context);
        }
    }

    private void send(Tensor tensor, Tensor payload) {
        Outgoing item = new Outgoing(tensor, payload);
        long[] shape = tensor.shape();
        if (shape.length > ControlMessage.MOST_DIMENSIONS) {
            Operators.onDiscard(tensor, context);
            item.closeCopy();
            stop(new InvalidCallException("a stream cannot send a tensor of so many dimensions: call=" + lines
                    + ", dimensions=" + shape.length + "; give at most " + ControlMessage.MOST_DIMENSIONS));
            return;
        }
        items.add(item);
        ControlMessage note = new ControlMessage.Item(
                tensor.type(), Arrays.stream(shape).boxed().toList());
        int place = (int) (sent++ % Receiving.WINDOW);
        begin(lines.sendItem(notes.write(place, note)), () -> left(item, null), error -> left(item, error));
        begin(lines.sendPayload(payload), () -> left(item, null), error -> left(item, error));
    }

    /** No item follows; the end itself needs no order among them. */
    private void finish() {
        finished = true;
        Throwable error = failure.get();
        if (!isOver()) {
            begin(lines.sendLast(notes.write(LAST, new ControlMessage.Last())), () -> {}, ignored -> {});
            Tensor end = error == null
                    ? notes.write(END, new ControlMessage.Complete(sent))
                    : notes.write(END, new ControlMessage.Broken(sent, text(error)));
            begin(lines.sendEnd(end), this::endSent, this::endFailed);
        }
        tell(this::settle);
    }

    private static String text(Throwable error) {
        return error instanceof CommException ? ErrorTexts.messageOrType(error) : ErrorTexts.describe(error);
    }

    private void left(Outgoing item, @Nullable Throwable error) {
        item.callsLeft--;
        if (error != null) {
            item.failed = true;
            stop(error);
        }
        for (Outgoing next = items.peek(); next != null && next.callsLeft == 0; next = items.peek()) {
            items.remove();
            next.closeCopy();
            emitted.incrementAndGet();
            if (next.failed || !emit(next.tensor)) {
                Operators.onDiscard(next.tensor, context);
            }
        }
        settle();
        pump();
    }

    private void endSent() {
        endTold = true;
        settle();
    }

    private void endFailed(Throwable error) {
        failure.compareAndSet(null, error);
        endTold = true;
        settle();
    }

    private void awaitAnswer() {
        begin(lines.awaitAnswer(notes.at(ANSWER)), this::answerCame, this::answerFailed);
    }

    private void answerCame() {
        ControlMessage answer = null;
        try {
            answer = notes.read(ANSWER);
            take(answer);
        } catch (InvalidCallException e) {
            stop(e);
        }
        if (!(answer instanceof ControlMessage.Done)) {
            awaitAnswer();
        }
    }

    private void take(ControlMessage answer) {
        switch (answer) {
            case ControlMessage.Credit more -> {
                credit.set(Operators.addCap(credit.get(), more.count()));
                pump();
            }
            case ControlMessage.Cancelled ignored -> {
                endTold = true;
                stopped = true;
                pump();
            }
            case ControlMessage.Refused refused ->
                stop(new CommException("a stream was refused by its receiver: call=" + lines + ", cause="
                        + refused.text() + "; look at that rank's own output"));
            case ControlMessage.Done ignored -> noAnswerFollows();
            case ControlMessage other ->
                throw new InvalidCallException("the receiver of a stream sent a note out of its turn: note="
                        + other
                        + "; run the same version of the library on all ranks");
        }
    }

    /**
     * The peer is lost, or has left, or the group has ended. What has been sent by then may have arrived, as that of a receiver that has all and leaves: whether
     * it has, its own calls say.
     */
    private void answerFailed(Throwable error) {
        if (!finished) {
            stop(error);
        }
        noAnswerFollows();
    }

    private void noAnswerFollows() {
        answersEnded = true;
        settle();
    }

    /** Ends the stream for its subscriber, once no tensor is borrowed any more; and for good, once nobody says anything more. */
    private void settle() {
        if (!finished || !items.isEmpty()) {
            return;
        }
        Throwable error = failure.get();
        if (error != null) {
            error(error);
        } else if (endTold) {
            complete();
        }
        if (answersEnded && endTold) {
            end();
        }
    }
}
