package io.reactivecomm.netty.internal.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.reactivecomm.CommException;
import io.reactivecomm.netty.internal.connection.LoopThread;
import io.reactivecomm.netty.internal.connection.ReceiveSteering;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.spi.WarningLog;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A connection of a {@link TcpLink} that carries nothing but payloads, each right behind the one before.
 *
 * <p>It is read only while a payload is expected on it, and no further than that payload's end, so that nearly all bytes go straight into
 * their destination. What comes before its header stays in the socket; only where the peer has closed does the system have it read, and
 * then it is kept.
 *
 * <p><b>Threads.</b> The loop.
 */
final class Lane extends ChannelInboundHandlerAdapter implements ReceiveSteering.Source {

    private static final Logger LOG = WarningLog.of(Lane.class);

    /** What is read at one time of a payload that is forgotten, that goes into the heap, or whose header is not here. */
    private static final int READ_BYTES = 64 * 1024;

    /** The owner of a lane. */
    interface Owner {

        /** A payload that was expected is whole. */
        void payloadArrived();

        /** The connection is no more; told again when a payload is expected on it that will not come. */
        void ended(Lane lane, String how);
    }

    private final int number;
    private final Channel channel;
    private final Owner owner;
    private final Sockets.GatheringWrite gather;
    private final ArrayDeque<ArrivingPayload> expected = new ArrayDeque<>();
    private @Nullable ByteBuf early;
    private boolean hasUnsent;
    private @Nullable String ended;
    private boolean closed;

    /**
     * Takes over a connection; called on its loop.
     *
     * @param number which of the link's lanes it is, from 1
     * @param steering what the channel reads with
     */
    Lane(int number, Channel channel, ReceiveSteering steering, Owner owner) {
        this.number = number;
        this.channel = channel;
        this.owner = owner;
        this.gather = Sockets.gather(channel);
        channel.config().setAutoRead(false);
        steering.source(this);
        channel.pipeline().addLast(this);
    }

    int number() {
        return number;
    }

    Sockets.GatheringWrite gather() {
        return gather;
    }

    /** Takes a payload for sending; it leaves with {@link #flush}. */
    void write(SegmentRegion payload) {
        hasUnsent = true;
        channel.write(payload, channel.voidPromise());
    }

    void flush() {
        if (hasUnsent) {
            hasUnsent = false;
            channel.flush();
        }
    }

    /** Reads a payload behind those that are expected already. */
    void expect(ArrivingPayload payload) {
        expected.add(payload);
        ByteBuf bytes = early;
        if (bytes != null) {
            early = null;
            take(bytes);
        }
        readWhatIsExpected();
        if (ended != null && isExpecting()) {
            owner.ended(this, ended);
        }
    }

    /** {@return whether a payload is not here, or not whole} */
    boolean isExpecting() {
        return !expected.isEmpty();
    }

    private void readWhatIsExpected() {
        if (channel.config().isAutoRead() != isExpecting()) {
            channel.config().setAutoRead(isExpecting());
        }
    }

    @Override
    public ByteBuf nextRead(ByteBufAllocator allocator) {
        ArrivingPayload first = expected.peek();
        if (first == null) {
            return allocator.ioBuffer(READ_BYTES);
        }
        ByteBuf direct = first.direct(1);
        if (direct != null) {
            return direct.retain();
        }
        int bytes = Math.min(READ_BYTES, first.remaining());
        return allocator.ioBuffer(bytes, bytes);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (closed) {
            bytes.release();
            return;
        }
        int before = expected.size();
        ArrivingPayload first = expected.peek();
        if (first != null && first.tookDirectly(bytes)) {
            bytes.release();
            removeIfWhole(first);
        } else {
            take(bytes);
        }
        readWhatIsExpected();
        if (expected.size() < before) {
            owner.payloadArrived();
        }
    }

    /** Gives bytes, whose reference it takes, to the payloads that are expected, and keeps the rest. */
    private void take(ByteBuf bytes) {
        for (ArrivingPayload first = expected.peek(); first != null && bytes.isReadable(); first = expected.peek()) {
            first.take(bytes);
            removeIfWhole(first);
        }
        if (!bytes.isReadable()) {
            bytes.release();
        } else if (early == null) {
            early = bytes;
        } else {
            early.writeBytes(bytes);
            bytes.release();
        }
    }

    private void removeIfWhole(ArrivingPayload first) {
        if (first.isWhole()) {
            expected.remove();
            first.letGo();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end("was closed");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        LoopThread.handlerFailed(problem);
        if (!closed && problem instanceof RuntimeException) {
            LOG.error("lane {} ends because of a fault", number, WarningLog.printable(problem));
        }
        end("failed: " + CommException.textOf(problem));
    }

    private void end(String how) {
        if (ended == null) {
            ended = how;
            owner.ended(this, how);
        }
    }

    /** Looks at no further byte, and ends the connection. Idempotent. */
    void close() {
        closed = true;
        expected.clear();
        if (early != null) {
            early.release();
            early = null;
        }
        channel.close();
    }
}
