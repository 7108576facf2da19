package io.reactivecomm.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.FrameCodec;
import io.reactivecomm.spi.FrameReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a {@link TcpLink}: turns a channel's bytes into frames, and payloads into their destinations.
 *
 * <p>Bytes are read into one buffer, the inbox, and frames are decoded where they lie. Once the header of a large payload has been
 * seen, and what came with it is copied, the following reads go straight into the destination and end where the payload ends. The
 * reads after that are short, because another payload is likely to follow, until one comes back full of other frames.
 *
 * <p><b>Threads.</b> The loop.
 */
final class IncomingFrames implements ReceiveSteering.Source {

    /** Where frames go. */
    interface Sink {

        void onFrame(Frame frame);

        @Nullable MemorySegment onDataStart(long grant, int lengthBytes);

        void onDataEnd(long grant);
    }

    /** A usual opening with the most eager bytes, and the frames around it; it grows for longer ones. */
    static final int INBOX_BYTES = 128 * 1024;

    /** With less room than this the inbox moves its unread bytes to the front before a read. */
    private static final int LEAST_ROOM = 16 * 1024;

    /** A rest of a payload smaller than this is read with what follows it, and copied: a system call costs more. */
    private static final int DIRECT_BYTES = 16 * 1024;

    /** A short read: the next payload's header and a few small frames, but little of the payload, which would have to be copied. */
    private static final int PEEK_BYTES = 256;

    private final Sink sink;
    private final ByteBuf inbox;
    private final ByteBuf peek;
    private final FrameReader frames = new FrameReader();
    private boolean closed;

    private boolean inPayload;
    /** The last payload ended where a read did, and few bytes have come since. */
    private boolean peeking;
    private long grant;
    private int remaining;
    /** The rest of the destination of the payload under way; null if that is forgotten. */
    private @Nullable ByteBuffer destination;
    /** The same memory, for reads straight into it. */
    private @Nullable ByteBuf direct;

    IncomingFrames(ByteBufAllocator allocator, Sink sink) {
        this.sink = sink;
        this.inbox = allocator.directBuffer(INBOX_BYTES);
        this.peek = allocator.directBuffer(PEEK_BYTES, PEEK_BYTES);
    }

    @Override
    public ByteBuf nextRead(ByteBufAllocator allocator) {
        if (closed) {
            return allocator.ioBuffer(LEAST_ROOM, LEAST_ROOM);
        }
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
            if (!closed && bytes != inbox && bytes != direct) {
                peeking &= bytes.isWritable();
                makeRoom(bytes.readableBytes());
                inbox.writeBytes(bytes);
            }
        } finally {
            bytes.release();
        }
    }

    /** Hands on all that has arrived whole. */
    void parse() {
        if (closed) {
            return;
        }
        // What is handed on may end the link while it still looks at bytes in here.
        inbox.retain();
        try {
            while (!closed && (inPayload ? continuePayload() : nextFrame())) {
                // Each step has handed on the frames of one unit, or one payload's end.
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
            return there >= FrameCodec.DATA_HEADER_BYTES && startPayload(FrameCodec.grantOf(bytes), length);
        }
        if (there < length) {
            makeRoom(length - there);
            return false;
        }
        List<Frame> read = frames.read(bytes);
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

    private boolean startPayload(long grant, int frameLength) {
        inbox.skipBytes(FrameCodec.DATA_HEADER_BYTES);
        this.grant = grant;
        remaining = frameLength - FrameCodec.DATA_HEADER_BYTES;
        inPayload = true;
        MemorySegment segment = sink.onDataStart(grant, remaining);
        if (segment != null && !closed) {
            destination = segment.asSlice(0, remaining).asByteBuffer();
        }
        return true;
    }

    private boolean continuePayload() {
        if (direct != null) {
            int read = remaining - direct.writableBytes();
            remaining -= read;
        } else {
            takeFromInbox(Math.min(remaining, inbox.readableBytes()));
        }
        if (remaining == 0) {
            endPayload();
            return true;
        }
        if (destination != null && destination.isDirect() && direct == null && remaining >= DIRECT_BYTES) {
            direct = Unpooled.wrappedBuffer(destination).writerIndex(0);
        }
        return false;
    }

    private void takeFromInbox(int bytes) {
        if (destination == null) {
            inbox.skipBytes(bytes);
        } else {
            destination.limit(destination.position() + bytes);
            inbox.readBytes(destination);
            destination.limit(destination.capacity());
        }
        remaining -= bytes;
    }

    private void endPayload() {
        inPayload = false;
        peeking = !inbox.isReadable();
        letGo();
        sink.onDataEnd(grant);
    }

    /** Reads and forgets the rest of that payload, if it is under way. */
    void drain(long grant) {
        if (inPayload && this.grant == grant) {
            letGo();
        }
    }

    /** Refers to no destination any more. */
    void letGo() {
        destination = null;
        if (direct != null) {
            direct.release();
            direct = null;
        }
    }

    /** Looks at no further byte, and frees the buffers. Idempotent. */
    void close() {
        if (!closed) {
            closed = true;
            letGo();
            inbox.release();
            peek.release();
        }
    }
}
