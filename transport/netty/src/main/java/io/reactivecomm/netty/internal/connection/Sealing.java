package io.reactivecomm.netty.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.reactivecomm.spi.link.MappedPages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a {@link TlsLayer}: copies plaintext a record at a time, encrypts it into one buffer, and writes that to the socket.
 *
 * <p>The engine never sees a program's own memory. Such memory may be freed or truncated by its owner at any time; the copy then fails, with nothing sent that should
 * not be, and the engine, which a failed read would break, is as it was.
 *
 * <p>Both buffers are given back once they are empty, so that an idle connection holds none.
 *
 * <p><b>Threads.</b> The channel's event loop.
 */
final class Sealing implements Sockets.GatheringWrite {

    /** What the JDK puts in one record at most; with more, a short record would follow each one. */
    static final int RECORD_BYTES = 16_367;

    /** Records that one system call writes. */
    private static final int RECORDS = 3;

    private static final ByteBuffer[] NOTHING = {};

    private final SSLEngine engine;
    private final ByteBufAllocator allocator;
    private final int packetBytes;
    private final Runnable looked;
    /** Plaintext that has been copied and not encrypted. */
    private @Nullable ByteBuf record;
    /** Records that have not left. */
    private @Nullable ByteBuf sealed;

    private boolean hasFinished;
    private boolean closed;

    /** @param looked is called when the engine's handshake may have gone on */
    Sealing(SSLEngine engine, ByteBufAllocator allocator, Runnable looked) {
        this.engine = engine;
        this.allocator = allocator;
        this.packetBytes = engine.getSession().getPacketBufferSize();
        this.looked = looked;
    }

    /** {@return whether the handshake ended with what was sent} */
    boolean hasFinished() {
        return hasFinished;
    }

    /** {@return whether all that was taken has left} */
    boolean isEmpty() {
        return record == null && sealed == null;
    }

    /**
     * Encrypts and writes what the socket takes, and what the engine itself has to say. The first buffer ends a record, so that a payload behind it begins one.
     *
     * @return how many bytes were taken of the buffers: they are not read again, though they may still have to leave
     */
    @Override
    public long write(WritableByteChannel target, ByteBuffer[] buffers) throws IOException {
        long taken = 0;
        try {
            while (drain(target)) {
                long here = seal(buffers);
                if (here == 0 && sealed == null) {
                    break;
                }
                taken += here;
            }
        } catch (IllegalStateException | InternalError e) {
            // Memory is gone. The next call says so again, when the bytes before it have been counted.
            if (taken == 0) {
                throw e;
            }
        }
        looked.run();
        return taken;
    }

    /** {@return whether the socket has taken all records} */
    private boolean drain(WritableByteChannel target) throws IOException {
        ByteBuf out = sealed;
        if (out == null) {
            return !closed;
        }
        out.skipBytes(target.write(out.nioBuffer()));
        if (out.isReadable()) {
            return false;
        }
        out.release();
        sealed = null;
        return true;
    }

    private long seal(ByteBuffer[] buffers) throws SSLException {
        long taken = 0;
        try {
            while (mayGoOn()) {
                if (record == null) {
                    taken += copy(buffers);
                }
                if (record == null && engine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP) {
                    break;
                }
                if (!wrap()) {
                    break;
                }
            }
        } catch (IllegalStateException | InternalError e) {
            if (taken == 0) {
                throw e;
            }
        }
        return taken;
    }

    private boolean mayGoOn() {
        return engine.getHandshakeStatus() != HandshakeStatus.NEED_TASK
                && (sealed == null || sealed.writableBytes() >= packetBytes);
    }

    /** {@return whether the engine did anything} */
    private boolean wrap() throws SSLException {
        ByteBuf out = sealed;
        if (out == null) {
            out = allocator.directBuffer((RECORDS - 1) * (RECORD_BYTES + 38) + packetBytes);
            sealed = out;
        }
        ByteBuf from = record;
        ByteBuffer into = out.internalNioBuffer(out.writerIndex(), out.writableBytes());
        SSLEngineResult result = from == null ? engine.wrap(NOTHING, into) : engine.wrap(from.nioBuffer(), into);
        out.writerIndex(out.writerIndex() + result.bytesProduced());
        if (from != null && !from.skipBytes(result.bytesConsumed()).isReadable()) {
            from.release();
            record = null;
        }
        if (!out.isReadable()) {
            out.release();
            sealed = null;
        }
        if (result.getStatus() != SSLEngineResult.Status.OK) {
            throw new SSLException("the engine of TLS cannot encrypt: status=" + result.getStatus());
        }
        boolean isFinished = result.getHandshakeStatus() == HandshakeStatus.FINISHED;
        hasFinished |= isFinished;
        return isFinished || result.bytesConsumed() > 0 || result.bytesProduced() > 0;
    }

    /** {@return how many bytes were copied into a new record} Only the first copy may fail: what follows a payload is this project's own memory. */
    private long copy(ByteBuffer[] buffers) {
        int first = 0;
        while (first < buffers.length && !buffers[first].hasRemaining()) {
            first++;
        }
        if (first == buffers.length) {
            return 0;
        }
        ByteBuf into = allocator.directBuffer(RECORD_BYTES, RECORD_BYTES);
        ByteBuffer room = into.internalNioBuffer(0, RECORD_BYTES);
        int begun = room.position();
        int before = buffers[first].position();
        try {
            put(buffers[first], room);
            MappedPages.hearOfThem();
        } catch (IllegalStateException | InternalError e) {
            // The fault may come after the whole copy. None of these bytes has been taken.
            buffers[first].position(before);
            into.release();
            throw e;
        }
        for (int i = first + 1; first > 0 && i < buffers.length; i++) {
            put(buffers[i], room);
        }
        int copied = room.position() - begun;
        record = into.writerIndex(copied);
        return copied;
    }

    private static void put(ByteBuffer from, ByteBuffer room) {
        int bytes = Math.min(from.remaining(), room.remaining());
        room.put(from.slice(from.position(), bytes));
        from.position(from.position() + bytes);
    }

    /** Forgets all. Idempotent. */
    void close() {
        closed = true;
        if (record != null) {
            record.release();
            record = null;
        }
        if (sealed != null) {
            sealed.release();
            sealed = null;
        }
    }
}
