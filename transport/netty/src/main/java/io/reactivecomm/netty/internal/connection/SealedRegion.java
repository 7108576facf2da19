package io.reactivecomm.netty.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * Bytes on their way through TLS into a socket, encrypted at the moment of the system call. Its count is one more than the bytes: it is whole when all that was
 * encrypted on this connection until then has left.
 *
 * <p><b>Threads.</b> The channel's event loop.
 */
final class SealedRegion extends AbstractReferenceCounted implements FileRegion {

    /** Counts the bytes of regions as a buffer's, so that a channel of TLS becomes unwritable as others do. */
    static final MessageSizeEstimator SIZES = () -> SealedRegion::sizeOf;

    private static final MessageSizeEstimator.Handle OTHERS = DefaultMessageSizeEstimator.DEFAULT.newHandle();

    private final ByteBuf plain;
    private final ByteBuffer[] rest;
    private final Sealing sealing;
    private final long count;
    private long transferred;

    /** @param plain its reference is taken */
    SealedRegion(ByteBuf plain, Sealing sealing) {
        this.plain = plain;
        this.rest = plain.nioBuffers();
        this.sealing = sealing;
        this.count = plain.readableBytes() + 1L;
    }

    private static int sizeOf(Object message) {
        return message instanceof SealedRegion region ? region.plain.readableBytes() : OTHERS.size(message);
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        long taken = sealing.write(target, rest);
        if (transferred + taken == count - 1 && sealing.isEmpty()) {
            taken++;
        }
        transferred += taken;
        return taken;
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
        plain.release();
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
