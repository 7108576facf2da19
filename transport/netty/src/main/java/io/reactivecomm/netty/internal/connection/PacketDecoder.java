package io.reactivecomm.netty.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.reactivecomm.spi.ProtocolException;
import java.util.List;

/**
 * Cuts the bytes of a handshake, or of the store's protocol, into packets. Little-endian:
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |             Length (of the packet with these eight)           |
 *  +---------------+-----------------------------------------------+
 *  |     Type      |                Reserved (zero)                |
 *  +---------------+-----------------------------------------------+
 *  |                              Body                            ...
 * </pre>
 *
 * <p>A length above the limit is refused when its four bytes are there: nothing is kept for it.
 */
public final class PacketDecoder extends ByteToMessageDecoder {

    static final int LENGTH_OFFSET = 0;
    public static final int TYPE_OFFSET = 4;
    static final int HEADER_BYTES = 8;

    private int limit;
    private boolean paused;
    private boolean reading;

    /** @param limit the longest packet */
    public PacketDecoder(int limit) {
        this.limit = limit;
        setCumulator(MERGE_CUMULATOR);
    }

    /** {@return whether there are bytes that make no whole packet, or that a pause keeps back} */
    boolean hasBytes() {
        return actualReadableBytes() > 0;
    }

    /** Cuts no more: what follows is for whoever takes over the connection. */
    public void pause() {
        paused = true;
    }

    /** Cuts on, with another limit. */
    public void resume(int limit) {
        this.limit = limit;
        paused = false;
    }

    /** Cuts on what has come meanwhile. */
    public void resume(ChannelHandlerContext context) {
        paused = false;
        context.executor().execute(() -> {
            // An empty read, for those that are there bring none by themselves; where one is under way it cuts on.
            if (!reading) {
                context.pipeline().fireChannelRead(Unpooled.EMPTY_BUFFER);
            }
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object input) throws Exception {
        reading = true;
        try {
            super.channelRead(context, input);
        } finally {
            reading = false;
        }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (paused || in.readableBytes() < HEADER_BYTES) {
            return;
        }
        int length = in.getIntLE(in.readerIndex() + LENGTH_OFFSET);
        if (length < HEADER_BYTES || length > limit) {
            throw new ProtocolException("packet of impossible length: length=" + length + ", limit=" + limit);
        }
        if (in.readableBytes() >= length) {
            out.add(in.readRetainedSlice(length));
        }
    }
}
