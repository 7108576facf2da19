package io.reactivecomm.netty.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the buffer for a channel's next read. That is a small one while a stranger is at the other end, and what the link asks for once
 * there is one, which may be a tensor's own memory.
 *
 * <p><b>Threads.</b> The channel's event loop.
 */
public final class ReceiveSteering extends DefaultMaxMessagesRecvByteBufAllocator {

    /** The choice of a link where its next bytes go. */
    public interface Source {

        /** {@return a buffer with room, retained for the read} */
        ByteBuf nextRead(ByteBufAllocator allocator);
    }

    /**
     * A turn of the loop serves a socket at most so often before others have theirs, and before the answers leave: a large piece, and the
     * header of the next. The peer waits for what it may send next, so more at once only makes the two take turns.
     */
    private static final int READS_PER_TURN = 4;

    private int plainBytes;
    private @Nullable Source source;
    private @Nullable Source encrypted;

    /** @param plainBytes the size of reads while there is no source */
    ReceiveSteering(int plainBytes) {
        super(READS_PER_TURN);
        this.plainBytes = plainBytes;
    }

    public void plainBytes(int bytes) {
        plainBytes = bytes;
    }

    public void source(Source source) {
        this.source = source;
    }

    /** Has all reads go there: what comes is encrypted, and handed on decrypted. */
    void encrypted(Source layer) {
        encrypted = layer;
    }

    @Override
    public Handle newHandle() {
        return new SteeredHandle();
    }

    private final class SteeredHandle extends MaxMessageHandle {

        @Override
        public int guess() {
            return plainBytes;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            Source from = encrypted == null ? source : encrypted;
            return from == null ? allocator.ioBuffer(plainBytes, plainBytes) : from.nextRead(allocator);
        }
    }
}
