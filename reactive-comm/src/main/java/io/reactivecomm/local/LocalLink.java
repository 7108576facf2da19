package io.reactivecomm.local;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.LinkEvents;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.TrafficCounter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link between two ranks of this JVM: frames travel as objects, payloads by reference.
 *
 * <p>The receiver copies a payload straight from the sender's memory into its destination, then acknowledges it.
 *
 * <p><b>Threads.</b> Each end belongs to its rank's loop. What both touch is a {@link Parcel}, under its own lock.
 */
final class LocalLink implements Link {

    /** Enough that the sender of a piece never waits for the other loop to acknowledge the one before. */
    private static final int MOST_UNACKNOWLEDGED = 8;

    private final int peer;
    private final Loop loop;
    private @Nullable LocalLink other;
    private @Nullable LinkEvents events;
    private List<Object> batch = new ArrayList<>();
    private final ArrayDeque<Parcel> unacknowledged = new ArrayDeque<>();
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

    /** A payload on its way; once its sender has let go of the memory, a copy. */
    private static final class Parcel {

        private final Frame.Data frame;
        private MemorySegment payload;

        private Parcel(Frame.Data frame) {
            this.frame = frame;
            this.payload = frame.payload();
        }

        private int lengthBytes() {
            return (int) frame.payload().byteSize();
        }

        private synchronized void copyTo(MemorySegment destination) {
            destination.copyFrom(payload);
        }

        private synchronized void letGo() {
            payload = MemorySegment.ofArray(payload.toArray(ValueLayout.JAVA_BYTE));
        }
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
        return unacknowledged.size() < MOST_UNACKNOWLEDGED;
    }

    @Override
    public boolean copiesEagerBytes() {
        return false;
    }

    @Override
    public void write(Frame frame) {
        if (down) {
            return;
        }
        counter.frame();
        batchBytes += heldBytes(frame);
        if (frame instanceof Frame.Data data) {
            Parcel parcel = new Parcel(data);
            unacknowledged.add(parcel);
            batch.add(parcel);
        } else {
            batch.add(frame);
        }
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
        if (!batch.isEmpty() && to != null) {
            counter.write(batchBytes);
            batchBytes = 0;
            List<Object> sent = batch;
            batch = new ArrayList<>();
            to.loop.execute(() -> to.take(sent));
        }
    }

    private void take(List<Object> frames) {
        LinkEvents sink = events;
        LocalLink from = other;
        if (down || sink == null || from == null) {
            return;
        }
        List<Frame.Data> taken = new ArrayList<>();
        try {
            for (Object next : frames) {
                if (next instanceof Parcel parcel) {
                    receive(parcel, sink);
                    taken.add(parcel.frame);
                } else {
                    sink.onFrame(this, (Frame) next);
                }
            }
        } catch (ProtocolException e) {
            goDown(e.getMessage());
            // As a closed socket would be: the other end must not go on waiting for answers.
            from.loop.execute(() -> from.goDown("the other end refused what it got: " + e.getMessage()));
        }
        if (!taken.isEmpty()) {
            from.loop.execute(() -> from.acknowledged(taken));
        }
    }

    private void receive(Parcel parcel, LinkEvents sink) {
        long grant = parcel.frame.grant();
        MemorySegment destination = sink.onDataStart(this, grant, parcel.lengthBytes());
        if (destination != null) {
            parcel.copyTo(destination);
        }
        sink.onDataEnd(this, grant);
    }

    private void acknowledged(List<Frame.Data> frames) {
        LinkEvents sink = events;
        if (down || sink == null) {
            return;
        }
        boolean wasFull = !isWritable();
        for (Frame.Data frame : frames) {
            unacknowledged.remove();
            sink.onWritten(this, frame);
        }
        if (wasFull) {
            sink.onWritable(this);
        }
    }

    @Override
    public void withdraw(Frame.Data frame) {
        for (Parcel parcel : unacknowledged) {
            if (parcel.frame == frame) {
                parcel.letGo();
            }
        }
    }

    /** Nothing to do: a payload is taken whole in one turn, so none is ever half-way. */
    @Override
    public void drain(long grant) {}

    @Override
    public void close() {
        flush();
        LocalLink to = other;
        if (to != null) {
            to.loop.execute(() -> to.goDown(null));
        }
        loop.execute(() -> goDown(null));
    }

    private void goDown(@Nullable String cause) {
        if (!down) {
            down = true;
            unacknowledged.forEach(Parcel::letGo);
            unacknowledged.clear();
            batch.clear();
            if (events != null) {
                events.onDown(this, cause);
            }
        }
    }
}
