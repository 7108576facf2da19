package io.reactivecomm.shm;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameWriter;
import io.reactivecomm.spi.link.TrafficCounter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The sending half of a {@link ShmLink}: collects what is written, and puts it into the ring as there is room. Frames that follow each other
 * share a unit.
 *
 * <p><b>Threads.</b> The loop.
 */
final class OutgoingUnits {

    private static final int NONE = -1;

    /** Room for a turn's frames; it grows when the reader is slow. */
    private static final int FIRST_BYTES = 64 << 10;

    /** A unit of frames is ended beyond this, so that its reader can begin. */
    private static final int LONG_UNIT = 32 << 10;

    private final OneToOneRingWriter ring;
    private final FrameWriter frames = new FrameWriter();
    private final TrafficCounter counter = new TrafficCounter();
    private ByteBuffer out = ByteBuffer.allocateDirect(FIRST_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    /** Where the unit of frames begins to which more can be added, or {@link #NONE}. */
    private int unitAt = NONE;

    OutgoingUnits(OneToOneRingWriter ring) {
        this.ring = ring;
    }

    Traffic traffic() {
        return counter.read();
    }

    /** {@return how many bytes wait for room in the ring} */
    int pendingBytes() {
        return out.position();
    }

    void frame(Frame frame) {
        counter.frame();
        ensure(Unit.lengthOf(frames.lengthBound(frame)) + Unit.ALIGNMENT);
        if (unitAt == NONE) {
            unitAt = out.position();
            out.putInt(0).putInt(Unit.FRAMES);
        }
        frames.write(frame, out);
        if (out.position() - unitAt > LONG_UNIT) {
            endFrames();
        }
    }

    /** The bytes are copied. */
    void payload(Frame.Data data) {
        int bytes = (int) data.payload().byteSize();
        begin(Unit.PAYLOAD, Unit.GRANT_BYTES + bytes);
        out.putLong(data.grant());
        boolean isCopied = false;
        try {
            MemorySegment.copy(data.payload(), 0, MemorySegment.ofBuffer(out), 0, bytes);
            isCopied = true;
        } finally {
            if (!isCopied) {
                // Its memory is gone: the unit's beginning does not leave either.
                out.position(out.position() - Unit.HEADER_BYTES - Unit.GRANT_BYTES);
            }
        }
        out.position(out.position() + bytes);
        pad(bytes);
    }

    void lent(Frame.Data data, long offset, Leases.Lease lease, boolean scarce) {
        begin(Unit.LENT, Unit.LENT_BYTES);
        out.putLong(data.grant()).putLong(offset).putLong(lease.word()).putInt(lease.place());
        out.putInt((int) data.payload().byteSize())
                .putLong((scarce ? Unit.SCARCE : 0) | (lease.copy() != null ? Unit.COPIED : 0));
    }

    void returned(int place) {
        begin(Unit.RETURNED, Unit.RETURNED_BYTES);
        out.putLong(place);
    }

    private void begin(int kind, int bodyBytes) {
        counter.frame();
        endFrames();
        ensure(Unit.lengthOf(bodyBytes));
        out.putInt(bodyBytes).putInt(kind);
    }

    private void endFrames() {
        if (unitAt != NONE) {
            int body = out.position() - unitAt - Unit.HEADER_BYTES;
            out.putInt(unitAt, body);
            pad(body);
            unitAt = NONE;
            frames.cut();
        }
    }

    private void pad(int bodyBytes) {
        for (int at = bodyBytes; at % Unit.ALIGNMENT != 0; at++) {
            out.put((byte) 0);
        }
    }

    private void ensure(int bytes) {
        if (out.remaining() >= bytes) {
            return;
        }
        // What is in there moves: an open unit is not added to any more.
        endFrames();
        if (out.remaining() < bytes) {
            int needed = out.position() + bytes;
            ByteBuffer larger = ByteBuffer.allocateDirect(Integer.highestOneBit(needed - 1) << 1)
                    .order(ByteOrder.LITTLE_ENDIAN);
            out = larger.put(out.flip());
        }
    }

    /** @throws io.reactivecomm.spi.ProtocolException if the peer's word of what it has read makes no sense */
    void requireSound() {
        ring.requireSound();
    }

    /** Puts what was written into the ring, as far as there is room. {@return whether any of it went} */
    boolean push() {
        endFrames();
        if (out.position() == 0) {
            return false;
        }
        out.flip();
        int pushed = ring.put(out);
        out.compact();
        counter.write(pushed);
        return pushed > 0;
    }
}
