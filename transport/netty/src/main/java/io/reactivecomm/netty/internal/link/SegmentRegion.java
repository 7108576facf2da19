package io.reactivecomm.netty.internal.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.spi.link.MappedPages;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A payload on its way into a socket, read from the sender's memory at the moment of the system call. It goes behind the small frames and
 * the header that were staged before it, and before its {@link PayloadStatus}. It is one gathered write for all, so that no header travels
 * and wakes the peer alone.
 *
 * <p>It is a {@link FileRegion} because Netty asks one for its bytes again at each write and keeps no pointer in between, over epoll and
 * NIO alike. So the memory behind it can be changed at any time for a copy ({@link #copyAside}), which a {@code ByteBuf} handed to
 * Netty does not allow.
 *
 * <p><b>Memory that goes.</b> Before each system call the memory is asked whether it is still alive, and after it once more. If it is not,
 * or the system finds a page gone, zeros follow for the rest and the status says so. One case is left over epoll: memory that is freed
 * during the very system call with which the status leaves. {@link Progress#lost} is told then, too, so the call fails on its own rank and
 * on all that have not ended it. Over NIO the JDK keeps memory from being freed under a system call.
 *
 * <p><b>Threads.</b> The channel's event loop.
 */
final class SegmentRegion extends AbstractReferenceCounted implements FileRegion {

    /** The receiver of a region's progress. */
    interface Progress {

        /** So many more bytes have left the region. */
        void transferred(SegmentRegion region, long bytes);

        /** The payload's memory was gone before all of it had left; told once, possibly from inside {@link #copyAside}. */
        void lost(SegmentRegion region, Throwable fault);
    }

    private static final ByteBuffer[] NOTHING = {ByteBuffer.allocateDirect(0)};
    private static final ByteBuffer WHOLE = status(PayloadStatus.WHOLE);
    private static final ByteBuffer LOST = status(PayloadStatus.LOST);

    /** What follows in the place of what is gone, as often as it takes. */
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 * 1024).asReadOnlyBuffer();

    /** Where the payload is in {@link #rest}, and its status, until zeros are in its place. */
    private static final int PAYLOAD = 1;

    private static final int STATUS = 2;

    private final Sockets.GatheringWrite gather;
    private final Progress progress;
    private final long count;
    private final ByteBuf staged;
    private final MemorySegment payload;
    /** What is staged, the payload, its status; each from its next byte on. */
    private ByteBuffer[] rest;

    /** Whether the sender's memory is still read. */
    private boolean borrows = true;

    private boolean lost;
    private @Nullable ByteBuf aside;
    private long transferred;

    /** @param staged what goes before the payload; its reference is taken */
    SegmentRegion(ByteBuf staged, MemorySegment payload, Sockets.GatheringWrite gather, Progress progress) {
        this.gather = gather;
        this.progress = progress;
        this.staged = staged;
        this.payload = payload;
        this.rest = new ByteBuffer[] {staged.nioBuffer(), payload.asByteBuffer(), WHOLE.duplicate()};
        this.count = staged.readableBytes() + payload.byteSize() + PayloadStatus.BYTES;
    }

    private static ByteBuffer status(PayloadStatus status) {
        return ByteBuffer.allocateDirect(PayloadStatus.BYTES)
                .put(status.code())
                .flip()
                .asReadOnlyBuffer();
    }

    /** Copies what has still to leave, and refers to the sender's memory no more. */
    void copyAside(ByteBufAllocator allocator) {
        if (!borrows) {
            return;
        }
        int bytes = rest[PAYLOAD].remaining();
        ByteBuf copy = allocator.directBuffer(bytes, bytes);
        try {
            copy.nioBuffer(0, bytes).put(rest[PAYLOAD].duplicate());
            MappedPages.hearOfThem();
        } catch (IllegalStateException | InternalError e) {
            copy.release();
            lose(e);
            return;
        }
        borrows = false;
        aside = copy;
        rest[PAYLOAD] = copy.nioBuffer(0, bytes);
    }

    /** Refers to no memory any more; the connection is gone. */
    void forget() {
        borrows = false;
        rest = NOTHING;
        if (aside != null) {
            aside.release();
            aside = null;
        }
    }

    boolean isWhole() {
        return transferred == count;
    }

    /** {@return whether the payload's memory was gone before all of it had left} */
    boolean isLost() {
        return lost;
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        loseIfFreed();
        long written = write(target);
        loseIfFreed();
        if (written > 0) {
            transferred += written;
            borrows &= !isWhole();
            progress.transferred(this, written);
        }
        return written;
    }

    private long write(WritableByteChannel target) throws IOException {
        try {
            return gather.write(target, rest);
        } catch (IOException | IllegalStateException | InternalError e) {
            Throwable fault = borrows ? faultBehind(e) : null;
            if (fault == null) {
                throw e;
            }
            lose(fault);
            return gather.write(target, rest);
        }
    }

    private @Nullable Throwable faultBehind(Throwable problem) {
        if (!payload.scope().isAlive()) {
            return freed();
        }
        return switch (problem) {
            case IOException failed -> LostPages.behind(failed, payload);
            case InternalError lost -> lost;
            default -> null;
        };
    }

    /** The system reads by address: it would send whatever is there now. */
    private void loseIfFreed() {
        if (borrows && !payload.scope().isAlive()) {
            lose(freed());
        }
    }

    private IllegalStateException freed() {
        return new IllegalStateException("memory was freed while it was on its way: bytes=" + payload.byteSize());
    }

    private void lose(Throwable fault) {
        borrows = false;
        lost = true;
        if (rest[STATUS].hasRemaining()) {
            rest = withZeros(rest[0], rest[PAYLOAD].remaining());
        }
        progress.lost(this, fault);
    }

    private static ByteBuffer[] withZeros(ByteBuffer staged, int bytes) {
        int zeros = (bytes + ZEROS.capacity() - 1) / ZEROS.capacity();
        ByteBuffer[] all = new ByteBuffer[1 + zeros + 1];
        all[0] = staged;
        for (int i = 0; i < zeros; i++) {
            all[1 + i] = ZEROS.slice(0, Math.min(ZEROS.capacity(), bytes - i * ZEROS.capacity()));
        }
        all[1 + zeros] = LOST.duplicate();
        return all;
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
