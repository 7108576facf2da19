package io.reactivecomm.netty.internal.link;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;

/** Keeps what a connection is given from leaving, until it is opened. */
final class Gate extends ChannelOutboundHandlerAdapter {

    private final Channel channel;
    private boolean isOpen;

    private Gate(Channel channel) {
        this.channel = channel;
    }

    /** {@return a closed gate, the last that a connection's writes come through} */
    static Gate before(Channel channel) {
        Gate gate = new Gate(channel);
        channel.pipeline().addFirst(gate);
        return gate;
    }

    /** On the connection's loop. */
    void open() {
        isOpen = true;
        channel.flush();
    }

    /** On the connection's loop. */
    void close() {
        isOpen = false;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        if (isOpen) {
            context.flush();
        }
    }
}
