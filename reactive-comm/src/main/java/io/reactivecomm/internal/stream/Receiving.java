package io.reactivecomm.internal.stream;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.ErrorTexts;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * The receiving end of a stream.
 *
 * <pre>
 *   request(n) ──&gt; Credit ─────────────────────────────&gt; sender
 *   item note ──&gt; memory, payload ──&gt; onNext, in order       as many at once as there is credit, at most {@link #WINDOW}
 *   end note ───&gt; onComplete or onError, after the last item
 *   cancel ─────&gt; Cancelled;  a failure ──&gt; Refused ───&gt; sender
 *   end note and Last are here ──&gt; Done ───────────────&gt; sender
 * </pre>
 *
 * <p>An item's note is awaited under the group's deadline, and only while there is demand for one. The end has a note of its own, awaited
 * from the beginning: so completion, errors and a lost peer are told without demand. After a cancellation or a failure what still comes is
 * taken and dropped up to {@link ControlMessage.Last}, so that nothing of the stream is left in the group.
 *
 * <p><b>Threads.</b> As {@link StreamEnd} says.
 */
final class Receiving extends StreamEnd {

    /** Tensors that may be on their way at once: enough to hide the way there and back behind tensors of some KiB. */
    static final int WINDOW = 16;

    private static final int ITEM = 0;
    private static final int END = 1;
    private static final int CREDIT = 2;
    private static final int STOP = 3;
    private static final int DONE = 4;
    private static final int PLACES = 5;

    private final ProcessGroup group;
    /** Why the sender is to stop; null until there is a reason. */
    private final AtomicReference<@Nullable ControlMessage> stop = new AtomicReference<>();
    /** Item notes that have come. Written by the teller. */
    private final AtomicLong taken = new AtomicLong();
    /** Items whose bytes have not been told of. Written by the teller. */
    private final AtomicInteger underWay = new AtomicInteger();

    private volatile boolean itemAwaited;
    private volatile boolean creditUnderWay;
    private volatile boolean noMoreItems;
    private volatile @Nullable ControlMessage ended;
    /** The pump's. */
    private long credited;

    private boolean stopSent;
    private boolean doneSent;
    /** The teller's. */
    private final ArrayDeque<Incoming> items = new ArrayDeque<>();

    private long delivered;
    /** The teller's: whether this end has said its last. */
    private boolean saidLast;

    Receiving(
            ProcessGroup group,
            ResultLoop loop,
            Runnable whenOver,
            Consumer<@Nullable Throwable> told,
            StreamMessages lines,
            CoreSubscriber<? super Tensor> subscriber) {
        super(loop, whenOver, told, lines, new ControlMessages(group, PLACES), subscriber);
        this.group = group;
        begin(lines.awaitEnd(notes.at(END)), this::endCame, this::endFailed);
    }

    /** A tensor on its way; null if it is refused. */
    private static final class Incoming {

        private final @Nullable Tensor tensor;
        private @Nullable Throwable error;
        private boolean ended;

        private Incoming(@Nullable Tensor tensor) {
            this.tensor = tensor;
        }
    }

    @Override
    void onCancel() {
        stop.compareAndSet(null, new ControlMessage.Cancelled());
    }

    /** Who has cancelled wants no more, which is no failure. */
    @Override
    @Nullable Throwable untold() {
        return null;
    }

    @Override
    void act() {
        if (isOver()) {
            return;
        }
        ControlMessage why = stop.get();
        boolean drains = why != null || ended != null;
        long wanted = demand.get();
        if (why != null && !stopSent && !doneSent) {
            stopSent = true;
            begin(lines.sendAnswer(notes.write(STOP, why)), () -> {}, ignored -> {});
        }
        if (!drains && !creditUnderWay && wanted > credited) {
            giveCredit(wanted - credited);
        }
        if (!itemAwaited && !noMoreItems && underWay.get() < WINDOW && (drains || taken.get() < wanted)) {
            itemAwaited = true;
            Tensor note = notes.at(ITEM);
            begin(drains ? lines.awaitItem(note) : lines.receiveItem(note), this::itemCame, this::itemFailed);
        }
        if (noMoreItems && ended != null && !doneSent) {
            doneSent = true;
            begin(
                    lines.sendAnswer(notes.write(DONE, new ControlMessage.Done())),
                    this::lastSaid,
                    ignored -> lastSaid());
        }
    }

    private void giveCredit(long count) {
        creditUnderWay = true;
        credited += count;
        Runnable next = () -> {
            creditUnderWay = false;
            pump();
        };
        begin(lines.sendAnswer(notes.write(CREDIT, new ControlMessage.Credit(count))), next, ignored -> next.run());
    }

    private void itemCame() {
        try {
            switch (notes.read(ITEM)) {
                case ControlMessage.Item item -> take(item);
                case ControlMessage.Last ignored -> last();
                case ControlMessage other -> throw unexpected(other);
            }
        } catch (InvalidCallException e) {
            fail(e);
            awaitNext();
        }
    }

    private void awaitNext() {
        itemAwaited = false;
        pump();
    }

    private void last() {
        noMoreItems = true;
        ControlMessage end = ended;
        if (end != null) {
            requireFits(end);
        }
        awaitNext();
    }

    /** What the sender says of its end must be what it did, as far as this end listens. */
    private void requireFits(ControlMessage end) {
        long total = total(end);
        if (stop.get() == null && (total > demand.get() || (noMoreItems && total != taken.get()))) {
            throw unexpected(end);
        }
    }

    /** No item can come any more; if all have come, nothing is missing. */
    private void itemFailed(Throwable error) {
        ControlMessage end = ended;
        noMoreItems = true;
        itemAwaited = false;
        if (end == null || total(end) != taken.get()) {
            fail(error);
        }
        pump();
    }

    /** Large memory is made ready elsewhere, and the next tensor is not awaited before, so that all stay in order. */
    private void take(ControlMessage.Item item) {
        taken.incrementAndGet();
        underWay.incrementAndGet();
        if (stop.get() instanceof ControlMessage.Refused) {
            receive(null);
        } else if (AnnouncedMemory.holdsALoop(item)) {
            aside(() -> AnnouncedMemory.allocate(group, item), this::receive, this::refuse);
        } else {
            takeHere(item);
        }
    }

    private void takeHere(ControlMessage.Item item) {
        Tensor tensor;
        try {
            tensor = AnnouncedMemory.allocate(group, item);
        } catch (CommException e) {
            refuse(e);
            return;
        }
        receive(tensor);
    }

    private void refuse(Throwable error) {
        fail(error);
        receive(null);
    }

    /** A tensor that cannot be taken is received into nothing, which fails its send at once. */
    private void receive(@Nullable Tensor tensor) {
        if (isOver()) {
            // The world has ended meanwhile, and with it the stream.
            if (tensor != null) {
                tensor.close();
            }
            return;
        }
        Incoming incoming = new Incoming(tensor);
        items.add(incoming);
        Tensor target = tensor == null ? notes.nothing() : tensor;
        begin(lines.receivePayload(target), () -> landed(incoming, null), error -> landed(incoming, error));
        awaitNext();
    }

    private void landed(Incoming incoming, @Nullable Throwable error) {
        incoming.ended = true;
        incoming.error = error;
        while (!items.isEmpty() && items.element().ended) {
            Incoming next = items.remove();
            underWay.decrementAndGet();
            delivered++;
            deliver(next);
        }
        settle();
        endIfNothingIsUnderWay();
        pump();
    }

    private void deliver(Incoming next) {
        if (next.error != null) {
            fail(next.error);
        }
        Tensor tensor = next.tensor;
        if (tensor != null && (next.error != null || !emit(tensor))) {
            tensor.close();
        }
    }

    private void endCame() {
        try {
            ControlMessage end = notes.read(END);
            requireFits(end);
            ended = end;
        } catch (InvalidCallException e) {
            ended = new ControlMessage.Complete(Long.MAX_VALUE);
            fail(e);
        }
        settle();
        pump();
    }

    /** The peer is lost, or the group has ended: nothing else can come either. */
    private void endFailed(Throwable error) {
        fail(error);
        end();
    }

    private void lastSaid() {
        saidLast = true;
        endIfNothingIsUnderWay();
    }

    /** Notes may overtake the tensors that they are about. */
    private void endIfNothingIsUnderWay() {
        if (saidLast && underWay.get() == 0) {
            end();
        }
    }

    private void settle() {
        ControlMessage end = ended;
        if (end == null || total(end) != delivered) {
            return;
        }
        if (end instanceof ControlMessage.Broken broken) {
            error(new CommException("a stream was broken off by its sender: call=" + lines + ", tensors="
                    + broken.total() + ", cause=" + broken.text() + "; look at that rank's own output"));
        } else {
            complete();
        }
    }

    private static long total(ControlMessage end) {
        return switch (end) {
            case ControlMessage.Complete complete -> complete.total();
            case ControlMessage.Broken broken -> broken.total();
            case ControlMessage other -> throw unexpected(other);
        };
    }

    private static InvalidCallException unexpected(ControlMessage note) {
        return new InvalidCallException("the sender of a stream sent a note out of its turn: note=" + note
                + "; run the same version of the library on all ranks");
    }

    @Override
    void fail(Throwable error) {
        if (!isSilent()) {
            stop.compareAndSet(null, new ControlMessage.Refused(ErrorTexts.messageOrType(error)));
            error(error);
            pump();
        }
    }
}
