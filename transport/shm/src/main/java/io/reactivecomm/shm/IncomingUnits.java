package io.reactivecomm.shm;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.FrameReader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a {@link ShmLink}: takes units from the ring. One that lies there in one piece is read where it lies, others are
 * put together first; a payload goes to its destination as it comes.
 *
 * <p>The peer may change what it has written at any time, and may write as little at a time as it likes. So a header counts as it was when
 * it was checked, and whatever is there is taken. A ring of which nothing can be taken yet would be looked at for ever.
 *
 * <p><b>Threads.</b> The loop.
 */
final class IncomingUnits {

    /** The receiver of units. */
    interface Sink {

        void frame(Frame frame);

        @Nullable MemorySegment payloadStart(long grant, int lengthBytes);

        void payloadEnd(long grant);

        /** Instead of its end: it could not be put where it goes. */
        void payloadFailed(long grant, Throwable fault);

        void lent(long grant, long offset, int lengthBytes, int place, long word, boolean scarce, boolean copied);

        void returned(int place);
    }

    /** A unit of frames is ended soon after 32 KiB, and the last frame in it may be of the longest. */
    private static final int LONGEST_UNIT = FrameCodec.MAX_CONTROL_BYTES + (64 << 10);

    /** What can be counted together with its header and the zeros behind it. */
    private static final int LONGEST_PAYLOAD = Integer.MAX_VALUE - Unit.HEADER_BYTES - Unit.ALIGNMENT;

    private static final ByteBuffer NO_UNIT = ByteBuffer.allocate(0);

    private final OneToOneRingReader ring;
    private final Sink sink;
    private final FrameReader frames = new FrameReader();
    private boolean closed;
    /** Of the unit that was begun last. */
    private int kind;

    private int bodyBytes;
    /** The header of a payload has been taken, and not its grant. */
    private boolean isGrantNext;
    /** A unit that is being put together, which is whole when the buffer is full. */
    private ByteBuffer unit = NO_UNIT;

    private ByteBuffer room = NO_UNIT;
    private long grant;
    /** What is still to come of a payload, and of the zeros after it. */
    private int payloadLeft;

    private int paddingLeft;
    private @Nullable MemorySegment destination;
    private @Nullable Throwable fault;
    private long written;
    private boolean hasPayload;

    IncomingUnits(OneToOneRingReader ring, Sink sink) {
        this.ring = ring;
        this.sink = sink;
    }

    /** {@return whether there is anything to {@link #poll}} */
    boolean hasNews() {
        return !closed && ring.hasNews();
    }

    /**
     * Takes what is there, up to the first payload: to read that may take long, and what comes of it is to leave before the next is read.
     * {@return whether there was anything}
     *
     * @throws ProtocolException if it makes no sense
     */
    boolean poll() {
        if (closed || !ring.look()) {
            return false;
        }
        hasPayload = false;
        while (!closed && !hasPayload && ring.available() > 0) {
            step();
        }
        if (!closed) {
            ring.tell();
        }
        return true;
    }

    /** Takes some of what is there, if only a word of it. */
    private void step() {
        if (payloadLeft + paddingLeft > 0) {
            takePayload();
        } else if (unit.hasRemaining()) {
            putTogether();
        } else if (isGrantNext) {
            startPayload();
        } else {
            begin();
        }
    }

    private void begin() {
        long header = ring.peekLong();
        bodyBytes = (int) header;
        kind = (int) (header >>> Integer.SIZE);
        requireLength();
        int length = Unit.lengthOf(bodyBytes);
        if (kind == Unit.PAYLOAD) {
            ring.pass(Unit.HEADER_BYTES);
            isGrantNext = true;
        } else if (ring.contiguous() >= length) {
            take(ring.view(length));
            ring.pass(length);
        } else {
            putTogether(length);
        }
    }

    private void requireLength() {
        boolean fits = switch (kind) {
            case Unit.FRAMES -> bodyBytes >= FrameCodec.HEADER_BYTES && bodyBytes <= LONGEST_UNIT;
            case Unit.PAYLOAD -> bodyBytes > Unit.GRANT_BYTES && bodyBytes <= LONGEST_PAYLOAD;
            case Unit.LENT -> bodyBytes == Unit.LENT_BYTES;
            case Unit.RETURNED -> bodyBytes == Unit.RETURNED_BYTES;
            default -> false;
        };
        if (!fits) {
            throw new ProtocolException("unknown kind or impossible length of a unit: kind=" + kind + ", known="
                    + Unit.RETURNED + ", length=" + bodyBytes);
        }
    }

    private void putTogether(int length) {
        if (room.capacity() < length) {
            room = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
        }
        unit = room.clear().limit(length);
        putTogether();
    }

    private void putTogether() {
        int count = Math.min(unit.remaining(), ring.contiguous());
        unit.put(ring.view(count));
        ring.pass(count);
        if (!unit.hasRemaining()) {
            take(unit.flip());
            unit = NO_UNIT;
        }
    }

    private void take(ByteBuffer whole) {
        int from = whole.position() + Unit.HEADER_BYTES;
        ByteBuffer in = whole.limit(from + bodyBytes).position(from).order(ByteOrder.LITTLE_ENDIAN);
        switch (kind) {
            case Unit.FRAMES -> frames(in);
            case Unit.LENT -> lent(in);
            default -> sink.returned((int) in.getLong());
        }
    }

    private void lent(ByteBuffer in) {
        long lentFor = in.getLong();
        long offset = in.getLong();
        long word = in.getLong();
        int place = in.getInt();
        int lengthBytes = in.getInt();
        long traits = in.getLong();
        hasPayload = true;
        sink.lent(lentFor, offset, lengthBytes, place, word, (traits & Unit.SCARCE) != 0, (traits & Unit.COPIED) != 0);
    }

    private void frames(ByteBuffer in) {
        int end = in.limit();
        while (!closed && in.position() < end) {
            List<Frame> read = frames.read(in);
            for (int i = 0; i < read.size() && !closed; i++) {
                sink.frame(read.get(i));
            }
            frames.forget();
        }
    }

    private void startPayload() {
        grant = ring.peekLong();
        ring.pass(Unit.GRANT_BYTES);
        isGrantNext = false;
        payloadLeft = bodyBytes - Unit.GRANT_BYTES;
        paddingLeft = Unit.lengthOf(bodyBytes) - Unit.HEADER_BYTES - bodyBytes;
        written = 0;
        fault = null;
        destination = sink.payloadStart(grant, payloadLeft);
    }

    private void takePayload() {
        int count = Math.min(payloadLeft + paddingLeft, ring.contiguous());
        int bytes = Math.min(payloadLeft, count);
        MemorySegment to = destination;
        if (to != null && bytes > 0) {
            put(to, bytes);
        }
        ring.pass(count);
        written += bytes;
        payloadLeft -= bytes;
        paddingLeft -= count - bytes;
        if (payloadLeft + paddingLeft == 0) {
            destination = null;
            tellEnd();
        }
    }

    private void put(MemorySegment to, int bytes) {
        try {
            MemorySegment.copy(MemorySegment.ofBuffer(ring.view(bytes)), 0, to, written, bytes);
        } catch (IllegalStateException | InternalError e) {
            fault = e;
            destination = null;
        }
    }

    private void tellEnd() {
        Throwable why = fault;
        if (why == null) {
            sink.payloadEnd(grant);
        } else {
            sink.payloadFailed(grant, why);
        }
    }

    /** Reads and forgets the rest of that payload, if it is under way. */
    void drain(long grant) {
        if (this.grant == grant) {
            destination = null;
        }
    }

    /** Looks at no further byte. */
    void close() {
        closed = true;
        destination = null;
    }
}
