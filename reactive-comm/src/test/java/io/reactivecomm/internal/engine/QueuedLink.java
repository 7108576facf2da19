package io.reactivecomm.internal.engine;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkTraits;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One direction of a link of an {@link EngineWorld}: what is flushed queues up until the world delivers it. */
final class QueuedLink implements Link {

    private static final int MOST_UNWRITTEN = 2;

    private final EngineWorld world;
    private final int rank;
    private final int peer;
    private final List<Frame> written = new ArrayList<>();
    private final ArrayDeque<Frame> flushed = new ArrayDeque<>();
    private final List<Frame> sent = new ArrayList<>();
    private final Map<Frame, MemorySegment> copies = new IdentityHashMap<>();
    private final ArrayDeque<Frame.Data> returned = new ArrayDeque<>();
    private @Nullable Function<Frame.Data, Loan> lender;
    private int unwritten;
    private int windowBytes = Integer.MAX_VALUE;
    private int bulkBytes;
    private boolean shares;
    private boolean held;
    private boolean closed;

    QueuedLink(EngineWorld world, int rank, int peer) {
        this.world = world;
        this.rank = rank;
        this.peer = peer;
    }

    /** Delivers nothing until it is let go. */
    void hold(boolean on) {
        held = on;
    }

    /** From now on payloads are lent, not copied, each as this makes a loan of it; whoever makes it tells when it is {@link #returned}. */
    void lend(Function<Frame.Data, Loan> how) {
        lender = how;
    }

    /** Says that so many bytes under way keep it busy. {@return this} */
    QueuedLink wantWindow(int bytes) {
        windowBytes = bytes;
        return this;
    }

    /** Says that so many bytes are best asked for at once. */
    void wantBulk(int bytes) {
        bulkBytes = bytes;
    }

    /** Says whether the two ends reach the same memory. */
    void share(boolean together) {
        shares = together;
    }

    @Override
    public LinkTraits traits() {
        return new LinkTraits(windowBytes, bulkBytes, shares);
    }

    /** The reader has given a payload back: the sender is told with the next delivery. */
    void returned(Frame.Data data) {
        returned.add(data);
    }

    boolean isBusy() {
        return !held && !(flushed.isEmpty() && returned.isEmpty());
    }

    /** {@return the frames that are on their way} */
    List<Frame> onTheWay() {
        return List.copyOf(flushed);
    }

    /** {@return all frames of that kind that were ever sent} */
    <T extends Frame> List<T> sent(Class<T> kind) {
        return sent.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Takes the oldest frame to the peer; the end of a link comes as one more. */
    void deliver() {
        if (!returned.isEmpty()) {
            tellWritten(returned.remove());
            return;
        }
        Frame frame = flushed.remove();
        Engine to = world.engines.get(peer);
        if (frame instanceof Frame.Data data && lender != null) {
            to.dataLent(rank, data.grant(), lender.apply(data), world.now());
            world.turn(peer);
        } else if (frame instanceof Frame.Data data) {
            MemorySegment destination =
                    to.dataStart(rank, data.grant(), (int) data.payload().byteSize());
            if (isLost(data)) {
                to.frame(rank, new Frame.Withdrawn(data.grant()), world.now());
                world.turn(peer);
                tellLost(data);
            } else {
                put(data, destination, to);
                world.turn(peer);
                tellWritten(data);
            }
        } else {
            to.frame(rank, frame, world.now());
            world.turn(peer);
        }
    }

    private void put(Frame.Data data, @Nullable MemorySegment destination, Engine to) {
        try {
            if (destination != null) {
                destination.copyFrom(copies.getOrDefault(data, data.payload()));
            }
        } catch (IllegalStateException e) {
            to.dataFailed(rank, data.grant(), e, world.now());
            return;
        }
        to.dataEnd(rank, data.grant(), world.now());
    }

    /** As memory that goes while a payload leaves. */
    private boolean isLost(Frame.Data data) {
        return !copies.containsKey(data) && !data.payload().scope().isAlive();
    }

    private void tellLost(Frame.Data data) {
        unwritten--;
        world.engines.get(rank).writeFailed(peer, data, new IllegalStateException("memory was freed"), world.now());
        world.engines.get(rank).writable(peer, world.now());
        world.turn(rank);
    }

    private void tellWritten(Frame.Data data) {
        unwritten--;
        world.engines.get(rank).written(peer, data, world.now());
        world.engines.get(rank).writable(peer, world.now());
        world.turn(rank);
    }

    @Override
    public int peer() {
        return peer;
    }

    @Override
    public boolean isWritable() {
        return unwritten < MOST_UNWRITTEN;
    }

    @Override
    public boolean copiesEagerBytes() {
        return false;
    }

    @Override
    public void write(Frame frame) {
        if (!closed) {
            written.add(frame);
            unwritten += frame instanceof Frame.Data ? 1 : 0;
        }
    }

    @Override
    public Traffic traffic() {
        return Traffic.NONE;
    }

    @Override
    public void flush() {
        flushed.addAll(written);
        sent.addAll(written);
        written.clear();
    }

    @Override
    public void withdraw(Frame.Data frame) {
        if (!frame.payload().scope().isAlive()) {
            return;
        }
        copies.put(frame, MemorySegment.ofArray(frame.payload().toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public void drain(long grant) {
        throw new AssertionError("a payload arrives in one event here, so none is half-way: grant=" + grant);
    }

    @Override
    public void close() {
        flush();
        closed = true;
    }
}
