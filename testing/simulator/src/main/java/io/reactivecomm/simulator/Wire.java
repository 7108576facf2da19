package io.reactivecomm.simulator;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a virtual link: first in, first out, each step at a random later time.
 *
 * <pre>
 *   write ──&gt; batch ── flush ──&gt; pipeline ── transmit: payload is read ──&gt; air ── arrival ──&gt; the other end
 *                                                └── some time later: written
 * </pre>
 *
 * <p>A payload is read in one or in several parts, with other events in between; that is when its sender may withdraw it. Wires know
 * nothing of each other, so frames of different links overtake each other freely.
 */
final class Wire {

    private final VirtualNetwork network;
    private final VirtualLink sender;
    private final VirtualLink receiver;
    private final ArrayDeque<Unsent> batch = new ArrayDeque<>();
    private final ArrayDeque<Unsent> pipeline = new ArrayDeque<>();
    private final ArrayDeque<Frame.Data> transmitted = new ArrayDeque<>();
    private final ArrayDeque<InAir> air = new ArrayDeque<>();
    private final List<VirtualLoan> lent = new ArrayList<>();
    private int unwritten;
    private boolean blocked;
    private boolean transmitting;
    private boolean ended;
    private boolean broken;
    private boolean isHushed;
    private long lastArrival;

    Wire(VirtualNetwork network, VirtualLink sender, VirtualLink receiver) {
        this.network = network;
        this.sender = sender;
        this.receiver = receiver;
    }

    /** An item that waits at the sender; without a frame it is the end. */
    private static final class Unsent {

        private final @Nullable Frame frame;
        private MemorySegment payload;
        private int sent;

        private Unsent(@Nullable Frame frame) {
            this.frame = frame;
            this.payload = frame instanceof Frame.Data data ? data.payload() : MemorySegment.NULL;
        }

        private int left() {
            return (int) payload.byteSize() - sent;
        }
    }

    private record InAir(long arrival, Transmission unit) {}

    boolean isWritable() {
        return !blocked && unwritten < network.weather().mostUnwritten();
    }

    void write(Frame frame) {
        batch.add(new Unsent(frame));
        if (frame instanceof Frame.Data) {
            unwritten++;
            if (network.weather().blockedPercent() > 0
                    && network.dice().percent(network.weather().blockedPercent())) {
                blocked = true;
                network.soon(this::unblock);
            }
        }
    }

    private void unblock() {
        blocked = false;
        if (isWritable()) {
            sender.tellWritable();
        }
    }

    void flush() {
        pipeline.addAll(batch);
        batch.clear();
        pump();
    }

    /** The end comes after all that was written. */
    void end() {
        pipeline.addAll(batch);
        batch.clear();
        pipeline.add(new Unsent(null));
        pump();
    }

    /** Copies aside what has still to leave of a frame, and takes back what is lent. */
    void withdraw(Frame.Data frame) {
        lent.stream().filter(loan -> loan.frame() == frame).forEach(VirtualLoan::takeBack);
        for (ArrayDeque<Unsent> queue : List.of(batch, pipeline)) {
            for (Unsent unsent : queue) {
                if (unsent.frame == frame) {
                    unsent.payload =
                            MemorySegment.ofArray(network.read(unsent.payload, 0, (int) unsent.payload.byteSize()));
                }
            }
        }
    }

    private void pump() {
        while (!broken && !transmitting && !pipeline.isEmpty()) {
            Unsent next = pipeline.element();
            if (next.frame instanceof Frame.Data) {
                transmitting = true;
                network.soon(this::transmit);
            } else {
                pipeline.remove();
                launch(next.frame == null ? new Transmission.End(null) : new Transmission.Control(crossed(next.frame)));
                if (next.frame == null) {
                    network.soon(() -> sender.goDown(null));
                }
            }
        }
    }

    private Frame crossed(Frame frame) {
        if (!network.weather().encoded()) {
            return frame;
        }
        ByteBuffer bytes = ByteBuffer.allocate(FrameCodec.lengthBound(frame));
        FrameCodec.encode(frame, bytes);
        return FrameCodec.decode(bytes.flip());
    }

    /** Reads the payload at the head, or a part of it. */
    private void transmit() {
        transmitting = false;
        Unsent next = pipeline.peek();
        if (broken || next == null || !(next.frame instanceof Frame.Data data)) {
            return;
        }
        if (next.sent == 0 && network.lends(sender.peer(), receiver.peer()) && next.payload.isNative()) {
            pipeline.remove();
            lend(data);
            pump();
            return;
        }
        if (next.sent == 0) {
            launch(new Transmission.Head(data.grant(), next.left()));
        }
        int part = next.left();
        if (part > 1 && network.dice().percent(network.weather().halvesPercent())) {
            part = 1 + network.dice().below(part - 1);
        }
        launch(new Transmission.Bytes(network.read(next.payload, next.sent, part)));
        next.sent += part;
        if (next.left() == 0) {
            pipeline.remove();
            transmitted.add(data);
            network.soon(this::written);
        }
        pump();
    }

    private void lend(Frame.Data data) {
        boolean isLast = unwritten >= network.weather().mostUnwritten();
        boolean scarce = network.dice().percent(network.weather().scarcePercent()) || isLast;
        VirtualLoan[] self = new VirtualLoan[1];
        self[0] = new VirtualLoan(network, data, scarce, () -> network.soon(() -> returned(self[0])));
        lent.add(self[0]);
        launch(new Transmission.Lent(self[0]));
    }

    private void returned(VirtualLoan loan) {
        if (lent.remove(loan)) {
            transmitted.add(loan.frame());
            written();
        }
    }

    private void written() {
        Frame.Data frame = transmitted.poll();
        if (frame != null) {
            boolean wasFull = unwritten-- == network.weather().mostUnwritten();
            sender.tellWritten(frame, wasFull && !blocked);
        }
    }

    private void launch(Transmission unit) {
        if (ended || isHushed) {
            return;
        }
        ended = unit instanceof Transmission.End;
        long now = network.agenda().now();
        boolean together =
                lastArrival > now && network.dice().percent(network.weather().togetherPercent());
        long arrival = together
                ? lastArrival
                : Math.max(lastArrival, now + network.weather().delay(network.dice()));
        boolean isFirst = air.isEmpty() || air.getLast().arrival < arrival;
        lastArrival = arrival;
        air.add(new InAir(arrival, unit));
        if (isFirst) {
            network.agenda().at(arrival, () -> receiver.tellArrival(this));
        }
    }

    /** {@return the next unit that has arrived, or null} */
    @Nullable Transmission poll() {
        InAir next = air.peek();
        if (next == null || next.arrival > network.agenda().now()) {
            return null;
        }
        air.remove();
        return next.unit;
    }

    /** The sender's end is down: what has not left never will, and no payload is referred to any more. */
    void forget() {
        batch.clear();
        pipeline.clear();
        transmitted.clear();
        lent.forEach(VirtualLoan::takeBack);
        lent.clear();
    }

    /** What is in the air is lost, and so is what leaves from now on. */
    void hush() {
        isHushed = true;
        air.clear();
    }

    /** Breaks the wire: some of what is in the air still arrives, then the receiver learns the cause. */
    void cut(String cause) {
        forget();
        broken = true;
        int arriving = network.dice().below(air.size() + 1);
        for (Iterator<InAir> all = air.iterator(); all.hasNext(); ) {
            all.next();
            if (arriving-- <= 0) {
                all.remove();
            }
        }
        ended = false;
        launch(new Transmission.End(cause));
    }

    boolean isEmpty() {
        return batch.isEmpty() && pipeline.isEmpty() && air.isEmpty() && lent.isEmpty();
    }
}
