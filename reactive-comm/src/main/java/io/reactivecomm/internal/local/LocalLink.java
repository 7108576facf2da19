package io.reactivecomm.internal.local;

import io.reactivecomm.CommException;
import io.reactivecomm.Traffic;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.LinkTraits;
import io.reactivecomm.spi.link.TrafficCounter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link between two ranks of this JVM: frames travel as objects, and payloads are lent.
 *
 * <p><b>Threads.</b> Each end belongs to its rank's loop. What both touch is a {@link LocalLoan}.
 */
final class LocalLink implements Link {

    /** Payloads that the other end may have: more than a window holds of any but the smallest pieces. */
    private static final int MOST_LENT = 64;

    /** After the last frame. */
    private static final Object END = new Object();

    private final int peer;
    private final Loop loop;
    private @Nullable LocalLink other;
    private @Nullable LinkEvents events;
    private List<Object> batch = new ArrayList<>();
    /** What the other end has or will have. */
    private final ArrayDeque<LocalLoan> lent = new ArrayDeque<>();
    /** What has come and was not delivered. */
    private final ArrayDeque<Object> arrived = new ArrayDeque<>();
    /** What this end has read and the other is to know of. */
    private List<Frame.Data> returned = new ArrayList<>();

    private final TrafficCounter counter = new TrafficCounter();
    private long batchBytes;
    private boolean down;

    private LocalLink(int peer, Loop loop) {
        this.peer = peer;
        this.loop = loop;
    }

    /** {@return the two ends of a new link, each for the rank that is not its {@link #peer()}} */
    static List<LocalLink> pair(int rank, Loop loop, int otherRank, Loop otherLoop) {
        LocalLink one = new LocalLink(otherRank, loop);
        LocalLink two = new LocalLink(rank, otherLoop);
        one.other = two;
        two.other = one;
        return List.of(one, two);
    }

    void start(LinkEvents sink) {
        events = sink;
    }

    @Override
    public int peer() {
        return peer;
    }

    @Override
    public boolean isWritable() {
        return lent.size() < MOST_LENT;
    }

    @Override
    public LinkTraits traits() {
        return LinkTraits.USUAL.withinOneMemory();
    }

    @Override
    public boolean lends() {
        return true;
    }

    @Override
    public boolean encodes() {
        return false;
    }

    @Override
    public boolean copiesEagerBytes() {
        return false;
    }

    @Override
    public void write(Frame frame) {
        LocalLink to = other;
        if (down || to == null) {
            return;
        }
        counter.frame();
        batchBytes += heldBytes(frame);
        if (frame instanceof Frame.Data data) {
            batch.add(lend(data, to));
        } else {
            batch.add(frame);
        }
    }

    private LocalLoan lend(Frame.Data data, LocalLink to) {
        LocalLoan loan = new LocalLoan(data, lent.size() >= MOST_LENT / 2, to::giveBack);
        lent.add(loan);
        return loan;
    }

    private void giveBack(Frame.Data frame) {
        returned.add(frame);
    }

    /** {@return the bytes of tensors in a frame} */
    private static long heldBytes(Frame frame) {
        return switch (frame) {
            case Frame.Data data -> data.payload().byteSize();
            case Frame.Announce announce -> announce.edge().eager().byteSize();
            case Frame.Open open -> {
                long bytes = 0;
                for (int i = 0; i < open.edges().size(); i++) {
                    bytes += open.edges().get(i).eager().byteSize();
                }
                yield bytes;
            }
            default -> 0;
        };
    }

    @Override
    public Traffic traffic() {
        return counter.read();
    }

    @Override
    public void flush() {
        LocalLink to = other;
        if (to == null || (batch.isEmpty() && returned.isEmpty())) {
            return;
        }
        counter.write(batchBytes);
        batchBytes = 0;
        List<Object> sent = batch.isEmpty() ? List.of() : batch;
        List<Frame.Data> read = returned.isEmpty() ? List.of() : returned;
        batch = sent.isEmpty() ? batch : new ArrayList<>();
        returned = read.isEmpty() ? returned : new ArrayList<>();
        to.loop.execute(() -> {
            try {
                to.returned(read, 0, !to.isWritable());
            } finally {
                to.take(sent);
            }
        });
    }

    private void take(List<Object> frames) {
        boolean isFirst = arrived.isEmpty();
        arrived.addAll(frames);
        if (isFirst) {
            deliver();
        }
    }

    /**
     * Up to the first payload: to read that may take long, and what comes of it is to leave before the next is read. What is here is also
     * delivered if somebody throws before: nothing that comes later would have that done.
     */
    private void deliver() {
        try {
            boolean goesOn = true;
            while (goesOn && !arrived.isEmpty()) {
                Object next = arrived.remove();
                goesOn = next instanceof Frame;
                if (next == END) {
                    end();
                } else {
                    deliver(next);
                }
            }
        } finally {
            if (!arrived.isEmpty()) {
                loop.execute(this::deliver);
            }
        }
    }

    private void deliver(Object next) {
        LinkEvents sink = events;
        LocalLink from = other;
        if (down || sink == null || from == null) {
            return;
        }
        try {
            if (next instanceof LocalLoan loan) {
                receive(loan, sink);
            } else {
                sink.onFrame(this, (Frame) next);
            }
        } catch (ProtocolException e) {
            goDown(CommException.textOf(e));
            // As a closed socket would be: the other end must not go on waiting for answers.
            from.loop.execute(() -> from.goDown("the other end refused what it got: " + CommException.textOf(e)));
        }
    }

    private void receive(LocalLoan loan, LinkEvents sink) {
        if (loan.isBack()) {
            giveBack(loan.frame());
            // The engine has no reason to flush.
            loop.execute(this::flush);
            sink.onFrame(this, new Frame.Withdrawn(loan.frame().grant()));
        } else {
            sink.onDataLent(this, loan.frame().grant(), loan);
        }
    }

    /** The other end has read those, of which some may have been told of before. */
    private void returned(List<Frame.Data> frames, int from, boolean wasFull) {
        LinkEvents sink = events;
        if (down || sink == null || frames.isEmpty()) {
            return;
        }
        int next = from;
        boolean areAllTold = false;
        try {
            while (next < frames.size()) {
                Frame.Data frame = frames.get(next++);
                lent.removeIf(loan -> loan.frame() == frame);
                sink.onWritten(this, frame);
            }
            areAllTold = true;
        } finally {
            if (!areAllTold) {
                int rest = next;
                loop.execute(() -> returned(frames, rest, wasFull));
            }
        }
        if (wasFull) {
            sink.onWritable(this);
        }
    }

    @Override
    public void withdraw(Frame.Data frame) {
        for (LocalLoan loan : lent) {
            if (loan.frame() == frame) {
                loan.takeBack();
            }
        }
    }

    /** Nothing to do: nothing here writes into a destination. */
    @Override
    public void drain(long grant) {}

    @Override
    public void close() {
        if (!down) {
            batch.add(END);
            flush();
        }
    }

    /** The other end was closed. It goes down only now: before, this end was still about to read what is lent. */
    private void end() {
        goDown(null);
        LocalLink closed = other;
        if (closed != null) {
            closed.loop.execute(() -> closed.goDown(null));
        }
    }

    private void goDown(@Nullable String cause) {
        if (!down) {
            down = true;
            lent.forEach(LocalLoan::takeBack);
            lent.clear();
            returned.clear();
            arrived.clear();
            batch.clear();
            if (events != null) {
                events.onDown(this, cause);
            }
        }
    }
}
