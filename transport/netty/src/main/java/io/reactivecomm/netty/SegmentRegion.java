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
 * A payload on its way into a socket, read from the sender's memory at the moment of the system call.
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

        /** So many more bytes have left the region's memory. */
        void transferred(SegmentRegion region, long bytes);
    }

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final Progress progress;
    private final long count;
    private ByteBuffer source;
    private @Nullable ByteBuf aside;
    private long transferred;

    SegmentRegion(MemorySegment payload, Progress progress) {
        this.progress = progress;
        this.count = payload.byteSize();
        this.source = payload.asByteBuffer();
    }

    /** Copies what has still to leave, and refers to the sender's memory no more. */
    void copyAside(ByteBufAllocator allocator) {
        if (aside != null || !source.hasRemaining()) {
            return;
        }
        int rest = source.remaining();
        ByteBuf copy = allocator.directBuffer(rest, rest).writeBytes(source);
        aside = copy;
        source = copy.nioBuffer();
    }

    /** Refers to no memory any more; the connection is gone. */
    void forget() {
        source = NOTHING;
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
        int written = source.hasRemaining() ? target.write(source) : 0;
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
