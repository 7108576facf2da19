package io.reactivecomm.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.Rendezvous;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rank's connection to the store, at the store.
 *
 * <p><b>Threads.</b> The store's.
 */
final class StoreSession extends SimpleChannelInboundHandler<ByteBuf> {

    private static final Logger LOG = LoggerFactory.getLogger(StoreSession.class);

    /** Values that one rank may wait for at a time. */
    private static final int MAX_WAITS = 4096;

    private final Channel channel;
    private final StoreTable table;
    private final RollCall rollCall;
    private final Map<Long, Wait> waits = new HashMap<>();
    private @Nullable Joined joined;

    private record Wait(String key, StoreTable.Waiter waiter) {}

    StoreSession(Channel channel, StoreTable table, RollCall rollCall) {
        this.channel = channel;
        this.table = table;
        this.rollCall = rollCall;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        StorePacket request = StorePacket.decode(bytes);
        if (request.key().length > Rendezvous.MAX_KEY_BYTES) {
            reply(StorePacket.failed(
                    request.id(),
                    "key is too long for the store: bytes=" + request.key().length + ", most="
                            + Rendezvous.MAX_KEY_BYTES + "; use a shorter one"));
            return;
        }
        try {
            serve(request, new String(request.key(), UTF_8));
        } catch (IllegalArgumentException e) {
            reply(StorePacket.failed(request.id(), String.valueOf(e.getMessage())));
        }
    }

    private void serve(StorePacket request, String key) {
        long id = request.id();
        switch (request.type()) {
            case StorePacket.SET -> {
                table.set(key, request.value());
                reply(StorePacket.of(StorePacket.NONE, id, 0));
            }
            case StorePacket.GET -> await(id, key);
            case StorePacket.ADD -> reply(StorePacket.of(StorePacket.SUM, id, table.add(key, request.number())));
            case StorePacket.COMPARE_SET -> replyValue(id, table.compareSet(key, request.expected(), request.value()));
            case StorePacket.DELETE -> reply(StorePacket.of(StorePacket.SUM, id, table.delete(key) ? 1 : 0));
            case StorePacket.CANCEL -> cancel(id);
            case StorePacket.JOIN -> join(id, Roster.Entry.decode(request.value()));
            default -> throw new ProtocolException("unknown request to the store: type=" + request.type());
        }
    }

    private void await(long id, String key) {
        if (waits.containsKey(id)) {
            // The table would keep the first waiter for ever.
            throw new ProtocolException("request repeats the id of one that waits: id=" + id + ", key=" + key);
        }
        if (waits.size() >= MAX_WAITS) {
            throw new IllegalArgumentException(
                    "too many waits on the store: waits=" + waits.size() + "; await fewer keys at a time");
        }
        StoreTable.Waiter waiter = value -> {
            waits.remove(id);
            replyValue(id, value);
        };
        waits.put(id, new Wait(key, waiter));
        table.get(key, waiter);
    }

    private void cancel(long id) {
        Wait wait = waits.remove(id);
        if (wait != null) {
            table.forget(wait.key, wait.waiter);
        }
    }

    private void join(long id, Roster.Entry entry) {
        if (joined != null) {
            throw new ProtocolException("joined twice over one connection: rank=" + entry.rank());
        }
        Joined member = new Joined(id, entry);
        joined = member;
        rollCall.join(member);
    }

    private void replyValue(long id, byte @Nullable [] value) {
        reply(value == null ? StorePacket.of(StorePacket.NONE, id, 0) : StorePacket.of(StorePacket.VALUE, id, value));
    }

    private void reply(StorePacket packet) {
        channel.writeAndFlush(packet.encode(channel.alloc()), channel.voidPromise());
    }

    /** Who does not take its replies gets no more of them. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        channel.config().setAutoRead(channel.isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        waits.values().forEach(wait -> table.forget(wait.key, wait.waiter));
        waits.clear();
        if (joined != null) {
            rollCall.leave(joined);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        LOG.debug("store connection ends: remote={}", channel.remoteAddress(), problem);
        context.close();
    }

    /** This rank at the roll call. */
    private final class Joined implements RollCall.Member {

        private final long id;
        private final Roster.Entry entry;

        Joined(long id, Roster.Entry entry) {
            this.id = id;
            this.entry = entry;
        }

        @Override
        public Roster.Entry entry() {
            return entry;
        }

        @Override
        public String origin() {
            return String.valueOf(channel.remoteAddress());
        }

        @Override
        public void complete(Roster roster) {
            reply(StorePacket.of(StorePacket.ROSTER, id, roster.encode()));
        }

        @Override
        public void failed(String text) {
            reply(StorePacket.failed(id, text));
        }

        @Override
        public void waiting(String missing, long waitedMillis) {
            reply(new StorePacket(
                    StorePacket.MISSING, id, waitedMillis, new byte[0], missing.getBytes(UTF_8), new byte[0]));
        }
    }
}
