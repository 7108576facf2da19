package io.reactivecomm.spi.link;

import static io.reactivecomm.spi.link.FrameLayout.*;

import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of one direction of a link, as a {@link FrameWriter} wrote them.
 *
 * <p><b>Buffers.</b> Eager bytes stay in the buffer that was read if that is outside the heap: who keeps a frame beyond it takes it as
 * {@link Frame#kept()}. From a buffer in the heap they are copied.
 *
 * <p><b>Threads.</b> One at a time.
 *
 * <p><b>Errors.</b> As {@link FrameCodec}: what a peer sends is not trusted.
 */
public final class FrameReader {

    private final List<Frame> read = new ArrayList<>();
    private @Nullable Successor expected;

    /**
     * Reads what begins at the buffer's position, other than a {@link Frame.Data}, and moves that past it.
     *
     * @return the frames in their order; the list is good until the next call, or until they are {@link #forget() forgotten}
     * @throws ProtocolException if there is no such frame, or not the whole of it
     */
    public List<Frame> read(ByteBuffer in) {
        forget();
        if (in.remaining() >= HEADER_BYTES && in.get(in.position() + TYPE_OFFSET) == RUN) {
            readRun(in);
        } else {
            Frame frame = FrameCodec.decode(in);
            if (frame instanceof Frame.Open open) {
                expected = Successor.of(open);
            }
            read.add(frame);
        }
        return read;
    }

    /** Lets go of the frames that were read last, and what they refer to: the next ones may be long in coming. */
    public void forget() {
        read.clear();
    }

    private void readRun(ByteBuffer in) {
        in.order(ByteOrder.LITTLE_ENDIAN);
        int start = in.position();
        int length = FrameCodec.lengthOf(in);
        if (length < RUN_HEADER_BYTES || in.remaining() < length) {
            throw new ProtocolException("run cut short: there=" + in.remaining() + ", length=" + length);
        }
        int count = in.getInt(start + RUN_COUNT_OFFSET);
        int eagerBytes = in.getInt(start + RUN_EAGER_OFFSET);
        Successor next = expected;
        if (next == null || next.eagerBytes() != eagerBytes) {
            throw new ProtocolException("run follows no opening of its kind: eager=" + eagerBytes + ", expected="
                    + (next == null ? "none" : next.eagerBytes()));
        }
        if (count <= 0 || (long) count * (NUMBER_BYTES + eagerBytes) != length - RUN_HEADER_BYTES) {
            throw new ProtocolException(
                    "run of impossible count: count=" + count + ", eager=" + eagerBytes + ", length=" + length);
        }
        for (int i = 0; i < count; i++) {
            int at = start + RUN_HEADER_BYTES + i * (NUMBER_BYTES + eagerBytes);
            read.add(next.open(in.getLong(at), eagerBytes(in, at + NUMBER_BYTES, eagerBytes)));
        }
        in.position(start + length);
    }

    /**
     * {@return bytes of the buffer as {@link Frame.Edge} wants them}
     * A buffer outside the heap is recognized as somebody else's by whoever keeps the frame; an array that will be read into again is not,
     * so its bytes are copied here.
     */
    static MemorySegment eagerBytes(ByteBuffer in, int from, int length) {
        if (length == 0) {
            return MemorySegment.NULL;
        }
        if (in.isDirect()) {
            return MemorySegment.ofBuffer(in.slice(from, length));
        }
        byte[] own = new byte[length];
        in.get(from, own);
        return MemorySegment.ofArray(own);
    }
}
