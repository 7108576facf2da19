package io.reactivecomm.netty.internal.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactivecomm.netty.internal.connection.ReceiveSteering;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.FrameReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a {@link TcpLink}: turns a channel's bytes into frames, and payloads into their destinations.
 *
 * <p>Bytes are read into one buffer, the inbox, and frames are decoded where they lie. Once the header of a large payload has been
 * seen, what came with it is copied. The following reads go straight into the destination and end where the payload ends. The
 * reads after that are short: they bring its {@link PayloadStatus}, and another payload is likely to follow, until one comes back full of
 * other frames.
 *
 * <p>Where there are {@linkplain LaneSet lanes} the bytes of large payloads come over those. Their ends are told in the order of the
 * headers, and a frame that may not overtake them is held, with all that is behind it.
 *
 * <p><b>Threads.</b> The loop.
 */
final class IncomingFrames implements ReceiveSteering.Source {

    /** The receiver of frames. */
    interface Sink {

        void onFrame(Frame frame);

        @Nullable MemorySegment onDataStart(long grant, int lengthBytes);

        void onDataEnd(long grant);

        void onDataFailed(long grant, Throwable fault);
    }

    /** A usual opening with the most eager bytes, and the frames around it; it grows for longer ones. */
    static final int INBOX_BYTES = 128 * 1024;

    /** With less room than this the inbox moves its unread bytes to the front before a read. */
    private static final int LEAST_ROOM = 16 * 1024;

    /** A rest of a payload smaller than this is read with what follows it, and copied: a system call costs more. */
    private static final int DIRECT_BYTES = 16 * 1024;

    /** Payloads whose headers have come and that are not whole, which they can be on lanes: many times what an engine asks for at once. */
    static final int MOST_ARRIVING = 1024;

    /**
     * A short read: a payload's status, the next one's header and a few small frames, but little of the payload, which would have to be
     * copied.
     */
    private static final int PEEK_BYTES = 256;

    private final Sink sink;
    private final LaneSet lanes;
    private final ByteBuf inbox;
    private final ByteBuf peek;
    private final FrameReader frames = new FrameReader();
    /** Payloads whose end has not been told, in the order of their headers. */
    private final ArrayDeque<ArrivingPayload> arriving = new ArrayDeque<>();

    /** The payload that comes on this connection; nothing else does until it is whole. */
    private @Nullable ArrivingPayload inline;
    /** The last payload ended where a read did, and few bytes have come since. */
    private boolean peeking;

    private boolean held;
    private boolean closed;

    IncomingFrames(ByteBufAllocator allocator, LaneSet lanes, Sink sink) {
        this.sink = sink;
        this.lanes = lanes;
        this.inbox = allocator.directBuffer(INBOX_BYTES);
        this.peek = allocator.directBuffer(PEEK_BYTES, PEEK_BYTES);
    }

    @Override
    public ByteBuf nextRead(ByteBufAllocator allocator) {
        if (closed) {
            return allocator.ioBuffer(LEAST_ROOM, LEAST_ROOM);
        }
        ByteBuf direct = inline == null ? null : inline.direct(DIRECT_BYTES);
        if (direct != null) {
            return direct.retain();
        }
        if (peeking) {
            return peek.clear().retain();
        }
        if (!inbox.isReadable()) {
            inbox.clear();
        } else if (inbox.writableBytes() < LEAST_ROOM) {
            inbox.discardReadBytes().ensureWritable(LEAST_ROOM);
        }
        return inbox.retain();
    }

    /** Takes bytes that were read, into this link's own buffers or another, whose reference it takes; {@link #parse} looks at them. */
    void received(ByteBuf bytes) {
        try {
            boolean isInPlace = bytes == inbox || (inline != null && inline.tookDirectly(bytes));
            if (isInPlace) {
                peeking |= inline != null && inline.wantsStatus() && !inbox.isReadable();
            } else if (!closed) {
                peeking &= bytes.isWritable();
                if (inline != null && !inbox.isReadable()) {
                    inline.take(bytes);
                }
                makeRoom(bytes.readableBytes());
                inbox.writeBytes(bytes);
            }
        } finally {
            bytes.release();
        }
    }

    /** {@return whether a frame waits for payloads that were sent before it, so that there is no use in reading on} */
    boolean isHeld() {
        return held;
    }

    /** Hands on all that has arrived whole; called also when a lane has brought a payload. */
    void parse() {
        if (closed) {
            return;
        }
        held = false;
        // What is handed on may end the link while it still looks at bytes in here.
        inbox.retain();
        try {
            tellWhole();
            while (!closed && (inline == null ? nextFrame() : continuePayload(inline))) {
                tellWhole();
            }
        } finally {
            inbox.release();
        }
    }

    private boolean nextFrame() {
        int there = inbox.readableBytes();
        if (there < FrameCodec.HEADER_BYTES) {
            return false;
        }
        ByteBuffer bytes = inbox.internalNioBuffer(inbox.readerIndex(), there);
        int length = FrameCodec.lengthOf(bytes);
        if (FrameCodec.isData(bytes)) {
            return there >= FrameCodec.DATA_HEADER_BYTES
                    && startPayload(FrameCodec.grantOf(bytes), length - FrameCodec.DATA_HEADER_BYTES);
        }
        if (there < length) {
            makeRoom(length - there);
            return false;
        }
        List<Frame> read = frames.read(bytes);
        held = !arriving.isEmpty() && !LaneSet.mayOvertake(read.getFirst());
        if (held) {
            // It is read again when its turn comes: none of those that are held changes how the next is read.
            frames.forget();
            return false;
        }
        inbox.skipBytes(length);
        for (int i = 0; i < read.size() && !closed; i++) {
            sink.onFrame(read.get(i));
        }
        frames.forget();
        return true;
    }

    private void makeRoom(int bytes) {
        if (inbox.writableBytes() < bytes) {
            inbox.discardReadBytes().ensureWritable(bytes);
        }
    }

    private boolean startPayload(long grant, int lengthBytes) {
        inbox.skipBytes(FrameCodec.DATA_HEADER_BYTES);
        if (arriving.size() == MOST_ARRIVING) {
            throw new ProtocolException(
                    "more payloads than anybody asked for: grant=" + grant + ", limit=" + MOST_ARRIVING);
        }
        MemorySegment segment = sink.onDataStart(grant, lengthBytes);
        if (closed) {
            return false;
        }
        ArrivingPayload payload = new ArrivingPayload(grant, lengthBytes, segment);
        arriving.add(payload);
        if (lanes.carry(lengthBytes)) {
            lanes.nextIncoming().expect(payload);
        } else {
            inline = payload;
        }
        return true;
    }

    private boolean continuePayload(ArrivingPayload payload) {
        payload.take(inbox);
        if (!payload.isWhole()) {
            return false;
        }
        inline = null;
        peeking = !inbox.isReadable() || (peeking && payload.isDirect());
        return true;
    }

    private void tellWhole() {
        while (!arriving.isEmpty() && arriving.element().isWhole()) {
            ArrivingPayload first = arriving.remove();
            first.letGo();
            Throwable fault = first.fault();
            if (fault != null) {
                sink.onDataFailed(first.grant(), fault);
            } else {
                tellEnd(first);
            }
        }
    }

    private void tellEnd(ArrivingPayload payload) {
        switch (payload.status()) {
            case WHOLE -> sink.onDataEnd(payload.grant());
            case LOST -> sink.onFrame(new Frame.Withdrawn(payload.grant()));
        }
    }

    /** Reads and forgets the rest of that payload, if it is under way. */
    void drain(long grant) {
        arriving.forEach(payload -> {
            if (payload.grant() == grant) {
                payload.letGo();
            }
        });
    }

    /** Refers to no destination any more. */
    void letGo() {
        arriving.forEach(ArrivingPayload::letGo);
    }

    /** Looks at no further byte, and frees the buffers. Idempotent. */
    void close() {
        if (!closed) {
            closed = true;
            letGo();
            arriving.clear();
            inbox.release();
            peek.release();
        }
    }
}
