package io.reactivecomm.netty.internal.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.MappedPages;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A payload whose header has come: where its bytes go, how many are still to come, and what its {@link PayloadStatus} says. Without a destination the
 * bytes are forgotten, and so they are once the destination's memory is gone.
 *
 * <p><b>Threads.</b> The loop.
 */
final class ArrivingPayload {

    private static final int NONE = -1;

    private final long grant;
    private int remaining;
    private final @Nullable MemorySegment memory;
    private @Nullable Throwable fault;
    /** The code of its {@link PayloadStatus}, once that has come. */
    private int status = NONE;

    /** The rest of it; null if the payload is forgotten. */
    private @Nullable ByteBuffer destination;
    /** The same memory, for reads straight into it. */
    private @Nullable ByteBuf direct;

    ArrivingPayload(long grant, int lengthBytes, @Nullable MemorySegment memory) {
        this.grant = grant;
        this.remaining = lengthBytes;
        this.memory = memory;
        this.destination =
                memory == null ? null : memory.asSlice(0, lengthBytes).asByteBuffer();
    }

    long grant() {
        return grant;
    }

    /** {@return how many bytes are still to come, the status among them} */
    int remaining() {
        return remaining + (status == NONE ? PayloadStatus.BYTES : 0);
    }

    /** {@return whether only the status is still to come} */
    boolean wantsStatus() {
        return remaining == 0 && status == NONE;
    }

    /**
     * {@return what its sender says of it, once it is whole}
     *
     * @throws ProtocolException if that makes no sense
     */
    PayloadStatus status() {
        return PayloadStatus.of(status);
    }

    /** {@return whether it was read straight into its destination} */
    boolean isDirect() {
        return direct != null;
    }

    /** {@return why its bytes are not where they were to go, or null} */
    @Nullable Throwable fault() {
        return fault;
    }

    boolean isWhole() {
        return remaining == 0 && status != NONE;
    }

    /**
     * {@return what the next read goes into, so that nothing has to be copied; null where that cannot be}
     * Once there is one, all reads go there.
     *
     * @param leastBytes a rest smaller than this is not worth a read of its own
     */
    @Nullable ByteBuf direct(int leastBytes) {
        if (remaining == 0) {
            return null;
        }
        failIfGone();
        if (direct == null && destination != null && destination.isDirect() && remaining >= leastBytes) {
            direct = Unpooled.wrappedBuffer(destination).writerIndex(0);
        }
        return direct;
    }

    /** The system writes by address, whatever is there now; where there is nothing the connection would fail. */
    private void failIfGone() {
        if (destination == null || memory == null) {
            return;
        }
        if (!memory.scope().isAlive()) {
            failed(new IllegalStateException("memory was freed: bytes=" + memory.byteSize()));
        } else if (memory.isMapped()) {
            Throwable gone = MappedPages.lost(memory, memory.byteSize() - remaining);
            if (gone != null) {
                failed(gone);
            }
        }
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
            put(bytes, destination, here);
        }
        remaining -= here;
        if (wantsStatus() && bytes.isReadable()) {
            status = bytes.readUnsignedByte();
        }
    }

    private void put(ByteBuf bytes, ByteBuffer into, int count) {
        try {
            // Netty's own way of copying may go by address, which does not ask whether the memory is alive.
            into.put(bytes.internalNioBuffer(bytes.readerIndex(), count));
            MappedPages.hearOfThem();
        } catch (IllegalStateException | InternalError e) {
            failed(e);
        } finally {
            bytes.skipBytes(count);
        }
    }

    private void failed(Throwable why) {
        fault = why;
        letGo();
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
