package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.reactivecomm.CommException;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * One rank's connection to the store, at the store.
 *
 * <p><b>Threads.</b> The store's.
 */
final class StoreSession extends SimpleChannelInboundHandler<ByteBuf> {

    private static final Logger LOG = WarningLog.of(StoreSession.class);

    private final Channel channel;
    private final StoreContents contents;
    private final RollCall rollCall;
    private final Timers timers;
    private final StoreWaits waits;
    private @Nullable Joined joined;

    /** @param rank who is at the other end, for messages */
    StoreSession(Channel channel, StoreContents contents, RollCall rollCall, Timers timers, int rank) {
        this.channel = channel;
        this.contents = contents;
        this.rollCall = rollCall;
        this.timers = timers;
        this.waits = new StoreWaits(contents, timers, channel.eventLoop(), rank, this::reply);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        StorePacket request = StorePacket.decode(bytes);
        if (request.key().length > Rendezvous.MAX_KEY_BYTES) {
            reply(StorePacket.failed(
                    request.id(),
                    String.valueOf(NameList.tooLong(request.key().length).getMessage())));
            return;
        }
        try {
            serve(request, new String(request.key(), UTF_8));
        } catch (IllegalArgumentException e) {
            reply(StorePacket.failed(request.id(), CommException.textOf(e)));
        }
    }

    private void serve(StorePacket request, String key) {
        long id = request.id();
        switch (request.type()) {
            case StorePacket.SET -> {
                contents.table().set(key, request.value());
                reply(StorePacket.of(StorePacket.NONE, id, 0));
            }
            case StorePacket.ADD -> replySum(id, contents.table().add(key, request.number()));
            case StorePacket.APPEND -> replySum(id, contents.table().append(key, request.value()));
            case StorePacket.COMPARE_SET ->
                replyValue(id, contents.table().compareSet(key, request.expected(), request.value()));
            case StorePacket.DELETE -> replySum(id, contents.table().delete(key) ? 1 : 0);
            case StorePacket.CHECK -> replySum(id, contents.table().hasAll(NameList.decode(request.value())) ? 1 : 0);
            case StorePacket.LIST -> list(id, key, request.number());
            case StorePacket.PUSH -> replySum(id, contents.queues().push(key, request.value()));
            case StorePacket.PUT_BACK -> putBack(key, request.value());
            case StorePacket.JOIN -> join(id, JoinRequest.decode(request.value()));
            case StorePacket.CONNECTED -> connected();
            default -> serveWait(request, key);
        }
    }

    private void serveWait(StorePacket request, String key) {
        long id = request.id();
        switch (request.type()) {
            case StorePacket.GET -> waits.get(id, key);
            case StorePacket.AWAIT -> waits.await(id, NameList.decode(request.value()), request.number());
            case StorePacket.POP -> waits.pop(id, key, request.number());
            case StorePacket.CANCEL -> waits.cancel(id);
            case StorePacket.WATCHED -> watched(id);
            case StorePacket.PUBLISH ->
                replySum(
                        id,
                        contents.board()
                                .publish(this, request.value(), timers.nanoTime())
                                .toMillis());
            default ->
                throw new ProtocolException(
                        "unknown request to the store: type=" + request.type() + ", id=" + request.id());
        }
    }

    private void list(long id, String prefix, long limit) {
        if (limit < 1 || limit > Rendezvous.MAX_KEYS) {
            throw new IllegalArgumentException(NameList.limitOutOfRange(limit));
        }
        List<String> keys = contents.table().list(prefix, (int) limit);
        reply(StorePacket.of(StorePacket.NAMES, id, NameList.encode(keys)));
    }

    private void putBack(String queue, byte[] value) {
        try {
            contents.queues().putBack(queue, value);
        } catch (IllegalArgumentException e) {
            LOG.warn("drops a value that its rank did not want any more: cause={}", CommException.textOf(e));
        }
    }

    private void join(long id, JoinRequest arrival) {
        if (joined != null) {
            throw new ProtocolException(
                    "joined twice over one connection: rank=" + arrival.entry().rank());
        }
        Joined member = new Joined(id, arrival);
        joined = member;
        rollCall.join(member);
    }

    private void connected() {
        if (joined != null) {
            rollCall.connected(joined);
        }
    }

    private void watched(long id) {
        if (joined == null) {
            throw new IllegalArgumentException("none that has joined waits for watchers; join first");
        }
        Roster.Entry entry = joined.arrival().entry();
        contents.board().enter(this, entry.rank(), entry.worldSize(), timers.nanoTime());
        waits.watched(id, this);
    }

    private void replyValue(long id, byte @Nullable [] value) {
        if (value == null) {
            reply(StorePacket.of(StorePacket.NONE, id, 0));
        } else {
            reply(StorePacket.of(StorePacket.VALUE, id, value));
        }
    }

    private void replySum(long id, long sum) {
        reply(StorePacket.of(StorePacket.SUM, id, sum));
    }

    private void reply(StorePacket packet) {
        channel.writeAndFlush(packet.encode(channel.alloc()), channel.voidPromise());
    }

    /** Who does not take its replies gets no more of them: nothing is read, and what has been read already waits. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        PacketDecoder decoder = context.pipeline().get(PacketDecoder.class);
        channel.config().setAutoRead(channel.isWritable());
        if (channel.isWritable()) {
            decoder.resume(context);
        } else {
            decoder.pause();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        waits.close();
        contents.board().leave(this, timers.nanoTime());
        if (joined != null) {
            rollCall.leave(joined);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        LOG.debug("store connection ends: remote={}", channel.remoteAddress(), WarningLog.printable(problem));
        context.close();
    }

    /** This rank at the roll call. */
    private final class Joined implements RollCall.Member {

        private final long id;
        private final JoinRequest arrival;
        /** Known still when the connection has ended. */
        private final String origin = channel.remoteAddress() instanceof InetSocketAddress remote
                ? Addresses.text(remote)
                : String.valueOf(channel.remoteAddress());

        Joined(long id, JoinRequest arrival) {
            this.id = id;
            this.arrival = arrival;
        }

        @Override
        public JoinRequest arrival() {
            return arrival;
        }

        @Override
        public String origin() {
            return origin;
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

        @Override
        public void without(int rank, String origin) {
            reply(new StorePacket(StorePacket.WITHOUT, 0, rank, new byte[0], origin.getBytes(UTF_8), new byte[0]));
        }
    }
}
