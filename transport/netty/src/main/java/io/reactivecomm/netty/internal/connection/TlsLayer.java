package io.reactivecomm.netty.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS on one connection: the first handler of its pipeline. The handlers behind it read and write plaintext as they would without.
 *
 * <pre>
 *   socket --- reads ---&gt; {@link #encrypted} --- unwrap, a record at a time ---&gt; handlers
 *   socket &lt;-- {@link Sealing} &lt;-- {@link SealedRegion}, or a payload of a link &lt;--- handlers
 * </pre>
 *
 * <p><b>Receiving.</b> Records are decrypted only while the handlers want to read (the channel's auto-read), so that a link that reads no further keeps what follows
 * encrypted. Once the peer has ended, the remaining records are decrypted before the end is passed on.
 *
 * <p><b>Sending.</b> All bytes are encrypted in the order in which they were written, at the moment of the system call. So a payload can be withdrawn until then, as
 * on a plain connection.
 *
 * <p><b>The engine's own words.</b> After each record the state of its handshake is looked at: it may have to say something (an update of keys) with nothing else to
 * send. A good end is the matter of the protocol above; the end of TLS without one is an end of the connection.
 *
 * <p><b>Cost.</b> While bytes are on their way at most {@value #ENCRYPTED_BYTES} bytes to receive into, a record in each direction, and three records to send. An idle
 * connection holds none of them.
 *
 * <p><b>Threads.</b> The channel's event loop; public-key work off it.
 */
final class TlsLayer extends ChannelDuplexHandler implements ReceiveSteering.Source {

    /** What one system call reads: more than two records. */
    private static final int ENCRYPTED_BYTES = 40 * 1024;

    private static final int RECORD_HEADER_BYTES = 5;
    private static final int LENGTH_OFFSET = 3;

    /** The label and length of RFC 9266. */
    private static final String BINDING_LABEL = "EXPORTER-Channel-Binding";

    private static final int BINDING_BYTES = 32;

    private final Channel channel;
    private final SSLEngine engine;
    private final Sealing sealing;
    private final int packetBytes;
    private final int plainBytes;
    private Consumer<byte[]> established = _ -> {};
    private @Nullable ByteBuf encrypted;
    private boolean isEstablished;
    private boolean isDelivering;
    private boolean isWorking;
    private boolean hasUnsealed;
    private boolean hasEnded;
    private boolean isBroken;

    TlsLayer(Channel channel, SSLEngine engine) {
        this.channel = channel;
        this.engine = engine;
        this.sealing = new Sealing(engine, channel.alloc(), this::look);
        this.packetBytes = engine.getSession().getPacketBufferSize();
        this.plainBytes = engine.getSession().getApplicationBufferSize();
    }

    /**
     * Begins the handshake: from now on all bytes of the channel are encrypted.
     *
     * @param then gets the channel binding when the handshake has ended
     */
    void begin(Consumer<byte[]> then) {
        established = then;
        GuardedListener.steeringOf(channel).encrypted(this);
        channel.attr(Sockets.ENCRYPTING).set(sealing);
        channel.pipeline().addFirst(this);
        try {
            engine.beginHandshake();
            look();
        } catch (SSLException e) {
            channel.pipeline().fireExceptionCaught(e);
        }
    }

    @Override
    public ByteBuf nextRead(ByteBufAllocator allocator) {
        ByteBuf into = encrypted;
        if (into == null) {
            into = allocator.directBuffer(ENCRYPTED_BYTES);
            encrypted = into;
        } else if (into.writableBytes() < packetBytes) {
            // It grows only where the system reads unasked, because the peer has ended.
            into.discardReadBytes().ensureWritable(packetBytes);
        }
        return into.retain();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        boolean isOwn = bytes == encrypted;
        bytes.release();
        if (!isOwn) {
            throw new ProtocolException("bytes came before TLS had begun");
        }
        deliver(context);
    }

    /** Decrypts the records that are here, while the handlers want to read. */
    private void deliver(ChannelHandlerContext context) {
        if (isDelivering) {
            return;
        }
        isDelivering = true;
        try {
            while (isWanted() && next(context)) {}
        } catch (SSLException | RuntimeException e) {
            isBroken = true;
            context.fireExceptionCaught(e);
        } finally {
            isDelivering = false;
        }
        releaseUnneeded();
    }

    /** After a failure everything that still comes is dropped. */
    private void releaseUnneeded() {
        ByteBuf left = encrypted;
        if (left != null && (isBroken || !left.isReadable())) {
            left.release();
            encrypted = null;
        }
    }

    private boolean isWanted() {
        return !isBroken
                && !isWorking
                && encrypted != null
                && (!isEstablished || hasEnded || channel.config().isAutoRead());
    }

    /** Decrypts one record; false if there is no whole one. */
    private boolean next(ChannelHandlerContext context) throws SSLException {
        ByteBuf from = encrypted;
        if (from == null || !hasRecord(from)) {
            return false;
        }
        ByteBuf plain = context.alloc().directBuffer(plainBytes);
        SSLEngineResult result;
        try {
            result = engine.unwrap(from.nioBuffer(), plain.internalNioBuffer(0, plainBytes));
            from.skipBytes(result.bytesConsumed());
            plain.writerIndex(result.bytesProduced());
        } catch (SSLException | RuntimeException e) {
            plain.release();
            throw e;
        }
        establish(result.getHandshakeStatus() == HandshakeStatus.FINISHED);
        look();
        if (plain.isReadable() && isEstablished) {
            context.fireChannelRead(plain);
        } else {
            boolean isEarly = plain.isReadable();
            plain.release();
            if (isEarly) {
                throw new SSLException("data came before the handshake of TLS had ended");
            }
        }
        return switch (result.getStatus()) {
            case OK -> result.bytesConsumed() > 0 || result.getHandshakeStatus() == HandshakeStatus.FINISHED;
            case CLOSED -> throw new SSLException("the peer has ended TLS");
            case BUFFER_OVERFLOW, BUFFER_UNDERFLOW ->
                throw new SSLException("a record of impossible length: status=" + result.getStatus());
        };
    }

    private boolean hasRecord(ByteBuf from) throws SSLException {
        if (from.readableBytes() < RECORD_HEADER_BYTES) {
            return false;
        }
        int length = RECORD_HEADER_BYTES + from.getUnsignedShort(from.readerIndex() + LENGTH_OFFSET);
        if (length > packetBytes) {
            throw new SSLException("a record of impossible length: length=" + length + ", most=" + packetBytes);
        }
        return from.readableBytes() >= length;
    }

    /** Looks at what the engine needs now. */
    private void look() {
        switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> work();
            case NEED_WRAP -> {
                if (sealing.isEmpty()) {
                    channel.writeAndFlush(Unpooled.EMPTY_BUFFER, channel.voidPromise());
                }
            }
            case NOT_HANDSHAKING -> establish(true);
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED -> establish(sealing.hasFinished());
        }
    }

    private void work() {
        if (isWorking) {
            return;
        }
        isWorking = true;
        List<Runnable> tasks = new ArrayList<>();
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            tasks.add(task);
        }
        Tls.work(channel, () -> {
            tasks.forEach(Runnable::run);
            return this::worked;
        });
    }

    private void worked() {
        isWorking = false;
        look();
        ChannelHandlerContext context = channel.pipeline().context(this);
        if (context != null) {
            deliver(context);
        }
    }

    private void establish(boolean hasFinished) {
        if (!hasFinished || isEstablished) {
            return;
        }
        isEstablished = true;
        try {
            if (!(engine.getSession() instanceof ExtendedSSLSession session)
                    || !session.getProtocol().equals(Tls.PROTOCOL)) {
                throw new SSLException("another protocol than TLS 1.3 was negotiated");
            }
            established.accept(session.exportKeyingMaterialData(BINDING_LABEL, new byte[0], BINDING_BYTES));
        } catch (SSLException e) {
            isBroken = true;
            channel.pipeline().fireExceptionCaught(e);
        }
    }

    /** The last of several reads finds nothing, in a buffer that was taken for it. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (!isDelivering) {
            releaseUnneeded();
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void read(ChannelHandlerContext context) {
        ByteBuf left = encrypted;
        if (isEstablished && !isDelivering && left != null && left.isReadable()) {
            // Not from inside the caller, who may not be ready for bytes.
            context.executor().execute(() -> deliver(context));
        }
        context.read();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf plain) {
            context.write(new SealedRegion(plain, sealing), promise);
        } else {
            // A payload, which encrypts itself and may leave its last record to whatever is written next.
            hasUnsealed = true;
            context.write(message, promise);
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (hasUnsealed) {
            hasUnsealed = false;
            context.write(new SealedRegion(Unpooled.EMPTY_BUFFER, sealing), channel.voidPromise());
        }
        context.flush();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            end(context);
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end(context);
        context.fireChannelInactive();
    }

    private void end(ChannelHandlerContext context) {
        hasEnded = true;
        deliver(context);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        sealing.close();
        if (encrypted != null) {
            encrypted.release();
            encrypted = null;
        }
        isBroken = true;
    }
}
