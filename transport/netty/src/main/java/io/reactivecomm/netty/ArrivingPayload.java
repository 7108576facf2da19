package io.reactivecomm.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A payload whose header has come: where its bytes go, and how many are still to come. Without a destination they are forgotten.
 *
 * <p><b>Threads.</b> The loop.
 */
final class ArrivingPayload {

    private final long grant;
    private int remaining;
    /** The rest of it; null if the payload is forgotten. */
    private @Nullable ByteBuffer destination;
    /** The same memory, for reads straight into it. */
    private @Nullable ByteBuf direct;

    ArrivingPayload(long grant, int lengthBytes, @Nullable MemorySegment memory) {
        this.grant = grant;
        this.remaining = lengthBytes;
        this.destination = memory == null ? null : memory.asSlice(0, lengthBytes).asByteBuffer();
    }

    long grant() {
        return grant;
    }

    int remaining() {
        return remaining;
    }

    boolean isWhole() {
        return remaining == 0;
    }

    /**
     * {@return what the next read goes into, so that nothing has to be copied; null where that cannot be}
     * Once there is one, all reads go there.
     *
     * @param leastBytes a rest smaller than this is not worth a read of its own
     */
    @Nullable ByteBuf direct(int leastBytes) {
        if (direct == null && destination != null && destination.isDirect() && remaining >= leastBytes) {
            direct = Unpooled.wrappedBuffer(destination).writerIndex(0);
        }
        return direct;
    }

    /** {@return whether that is what {@link #direct} gave for a read, which is over and counts from now on} */
    boolean tookDirectly(ByteBuf bytes) {
        if (bytes != direct) {
            return false;
        }
        remaining = bytes.writableBytes();
        return true;
    }

    /** Takes what belongs to it from bytes that were read elsewhere. */
    void take(ByteBuf bytes) {
        int here = Math.min(remaining, bytes.readableBytes());
        if (destination == null) {
            bytes.skipBytes(here);
        } else {
            destination.limit(destination.position() + here);
            bytes.readBytes(destination);
            destination.limit(destination.capacity());
        }
        remaining -= here;
    }

    /** Refers to its destination no more: what still comes is forgotten. */
    void letGo() {
        destination = null;
        if (direct != null) {
            direct.release();
            direct = null;
        }
    }
}
