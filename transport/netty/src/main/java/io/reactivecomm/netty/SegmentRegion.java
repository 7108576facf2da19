package io.reactivecomm.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A payload on its way into a socket, read from the sender's memory at the moment of the system call, behind the small frames and the
 * header that were staged before it: one gathered write for all, so that no header travels and wakes the peer alone.
 *
 * <p>It is a {@link FileRegion} because Netty asks one for its bytes again at each write and keeps no pointer in between, over epoll and
 * NIO alike. So the memory behind it can be changed at any time for a copy ({@link #copyAside}), which a {@code ByteBuf} handed to
 * Netty does not allow.
 *
 * <p><b>Threads.</b> The channel's event loop.
 */
final class SegmentRegion extends AbstractReferenceCounted implements FileRegion {

    /** Is told how far a region has got. */
    interface Progress {

        /** So many more bytes have left the region. */
        void transferred(SegmentRegion region, long bytes);
    }

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final Sockets.Gather gather;
    private final Progress progress;
    private final long count;
    private final ByteBuf staged;
    /** What is staged, then the payload; each from its next byte on. */
    private final ByteBuffer[] rest;

    private @Nullable ByteBuf aside;
    private long transferred;

    /** @param staged what goes before the payload; its reference is taken */
    SegmentRegion(ByteBuf staged, MemorySegment payload, Sockets.Gather gather, Progress progress) {
        this.gather = gather;
        this.progress = progress;
        this.staged = staged;
        this.rest = new ByteBuffer[] {staged.nioBuffer(), payload.asByteBuffer()};
        this.count = staged.readableBytes() + payload.byteSize();
    }

    /** Copies what has still to leave, and refers to the sender's memory no more. */
    void copyAside(ByteBufAllocator allocator) {
        ByteBuffer payload = rest[1];
        if (aside != null || !payload.hasRemaining()) {
            return;
        }
        int bytes = payload.remaining();
        ByteBuf copy = allocator.directBuffer(bytes, bytes).writeBytes(payload);
        aside = copy;
        rest[1] = copy.nioBuffer();
    }

    /** Refers to no memory any more; the connection is gone. */
    void forget() {
        rest[1] = NOTHING;
        if (aside != null) {
            aside.release();
            aside = null;
        }
    }

    boolean isWhole() {
        return transferred == count;
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        long written = gather.write(target, rest);
        if (written > 0) {
            transferred += written;
            progress.transferred(this, written);
        }
        return written;
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    public long transferred() {
        return transferred;
    }

    @Deprecated
    @Override
    public long transfered() {
        return transferred;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    protected void deallocate() {
        forget();
        staged.release();
    }

    @Override
    public FileRegion retain() {
        super.retain();
        return this;
    }

    @Override
    public FileRegion retain(int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public FileRegion touch() {
        return this;
    }

    @Override
    public FileRegion touch(Object hint) {
        return this;
    }
}
