package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.reactivecomm.Choices;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests to the store of a process that has the token, and no manners. */
class StoreHostilityTest {

    private final ManualTimers timers = new ManualTimers() {
        @Override
        public Loop.Timer schedule(EventExecutor on, Runnable task, long delayNanos) {
            // The embedded channel's loop runs on this thread, which waits for it in advance().
            return super.schedule(ImmediateEventExecutor.INSTANCE, task, delayNanos);
        }
    };

    private final StoreContents contents = StoreContents.empty();
    private final StalledChannel channel = new StalledChannel();
    private final RollCall rollCall = new RollCall(channel.eventLoop(), timers, () -> 0);

    /** A channel that takes replies, or keeps them back as a peer does that reads nothing. */
    private static final class StalledChannel extends EmbeddedChannel {

        private boolean stalled;

        @Override
        protected void doWrite(ChannelOutboundBuffer out) throws Exception {
            if (!stalled) {
                super.doWrite(out);
            }
        }
    }

    StoreHostilityTest() {
        channel.pipeline().addLast(new PacketDecoder(StorePacket.MAX_REQUEST_BYTES));
        channel.pipeline().addLast(new StoreSession(channel, contents, rollCall, timers, 3));
    }

    @AfterEach
    void end() {
        channel.stalled = false;
        channel.finishAndReleaseAll();
    }

    private static StorePacket packet(byte type, long id, long number, String key, byte[] value) {
        return new StorePacket(type, id, number, key.getBytes(UTF_8), value, new byte[0]);
    }

    private void send(StorePacket request) {
        channel.writeInbound(request.encode(channel.alloc()));
    }

    private StorePacket reply() {
        ByteBuf bytes = channel.readOutbound();
        try {
            return StorePacket.decode(bytes);
        } finally {
            bytes.release();
        }
    }

    private void expectEnded(StorePacket request) {
        send(request);
        assertThat(channel.isOpen()).isFalse();
    }

    private void expectRefused(StorePacket request, String... parts) {
        send(request);
        StorePacket reply = reply();
        assertThat(reply.type()).isEqualTo(StorePacket.FAILED);
        assertThat(reply.id()).isEqualTo(request.id());
        assertThat(reply.text()).contains(parts);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void requests_beyondTheirLimits_areRefusedInWords() {
        byte[] long1 = new byte[Rendezvous.MAX_VALUE_BYTES + 1];
        String longKey = "k".repeat(Rendezvous.MAX_KEY_BYTES + 1);
        expectRefused(packet(StorePacket.APPEND, 1, 0, "k", long1), "value is too long");
        expectRefused(packet(StorePacket.PUSH, 2, 0, "q", long1), "value is too long");
        expectRefused(packet(StorePacket.POP, 3, 1, longKey, new byte[0]), "key is too long");
        expectRefused(packet(StorePacket.LIST, 4, 0, "", new byte[0]), "limit=0");
        expectRefused(packet(StorePacket.LIST, 5, Long.MAX_VALUE, "", new byte[0]), "limit=" + Long.MAX_VALUE);
        expectRefused(packet(StorePacket.LIST, 6, -1, "", new byte[0]), "limit=-1");
    }

    @Test
    void putBack_ofWhatCannotBe_isDropped() {
        send(packet(StorePacket.PUT_BACK, 1, 0, "q", new byte[Rendezvous.MAX_VALUE_BYTES + 1]));
        send(packet(StorePacket.POP, 2, 0, "q", new byte[0]));
        assertThat((Object) channel.readOutbound()).isNull();
        timers.advance(0);
        assertThat(reply().text()).contains("nothing came", "queue=q", "rank=3", "waited=0.0 s");
    }

    @Test
    void deadlines_thatCannotBe_areTheNearestThatCan() {
        send(packet(StorePacket.POP, 1, Long.MIN_VALUE, "q", new byte[0]));
        timers.advance(0);
        assertThat(reply().type()).isEqualTo(StorePacket.FAILED);
        send(packet(StorePacket.POP, 2, Long.MAX_VALUE, "q", new byte[0]));
        send(packet(StorePacket.PUSH, 3, 0, "q", new byte[1]));
        assertThat(reply().type()).isEqualTo(StorePacket.ITEM);
    }

    @Test
    void waitWithTheIdOfAnother_endsTheConnection_andForgetsItsWaits() {
        send(packet(StorePacket.POP, 1, 1000, "q", new byte[0]));
        expectEnded(packet(StorePacket.AWAIT, 1, 1000, "", NameList.encode(List.of("a"))));
        assertThat(contents.queues().push("q", new byte[0])).as("nobody waits").isEqualTo(1);
    }

    @Test
    void unknownRequest_endsTheConnection() {
        expectEnded(packet((byte) 31, 1, 0, "", new byte[0]));
    }

    @Test
    void listThatIsNone_endsTheConnection() {
        expectEnded(packet(StorePacket.CHECK, 1, 0, "", new byte[] {1, 0, 0, 0, 9}));
    }

    private static byte[] ints(int... numbers) {
        ByteBuf bytes = Unpooled.buffer();
        for (int number : numbers) {
            bytes.writeIntLE(number);
        }
        return ByteBufUtil.getBytes(bytes);
    }

    @Test
    void nameList_ofImpossibleSizes_isRefusedBeforeAnythingIsKept() {
        for (byte[] broken : List.of(
                new byte[0],
                new byte[3],
                ints(-1),
                ints(Integer.MAX_VALUE),
                ints(Rendezvous.MAX_KEYS + 1),
                ints(1),
                ints(1, -1),
                ints(1, Integer.MAX_VALUE),
                ints(1, 5, 0),
                ints(1, 0, 0),
                ints(0, 0))) {
            assertThatThrownBy(() -> NameList.decode(broken)).isInstanceOf(ProtocolException.class);
        }
        assertThat(NameList.decode(NameList.encode(List.of("a", "ä", "a", "")))).containsExactly("a", "ä", "");
    }

    @Test
    void arrival_ofImpossibleSizes_isRefused() {
        Roster.Entry entry = new Roster.Entry(1, 2, "host", 1, 1, 1);
        byte[] head = entry.encode();
        for (byte[] rest : List.of(
                new byte[0],
                ints(-1),
                ints(33),
                ints(Integer.MAX_VALUE),
                ints(1),
                ints(1, 1),
                ints(1, 4097, 0),
                ints(1, -1, 0),
                ints(1, 0, 5))) {
            byte[] broken = ByteBufUtil.getBytes(Unpooled.wrappedBuffer(head, rest));
            assertThatThrownBy(() -> JoinRequest.decode(broken)).isInstanceOf(ProtocolException.class);
        }
        JoinRequest longest = new JoinRequest(entry, new Choices("ä".repeat(Choices.MAX_CHARS), Set.of(), "").texts());
        assertThat(JoinRequest.decode(longest.encode())).isEqualTo(longest);
        assertThat(JoinRequest.decode(new JoinRequest(entry, Map.of()).encode()).choices())
                .isEmpty();
    }

    @Test
    void garbage_endsTheConnectionOrIsAnswered_andNothingElse() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            try {
                NameList.decode(bytes);
                JoinRequest.decode(bytes);
            } catch (ProtocolException e) {
                assertThat(e).as("seed=" + seed).hasMessageContaining("=");
            }
        }
    }

    @Test
    void whoTakesNoReplies_getsNoneReadyForIt() {
        contents.table().set("k", new byte[Rendezvous.MAX_VALUE_BYTES]);
        channel.stalled = true;
        int requests = 1000;
        ByteBuf all = Unpooled.buffer();
        for (int id = 0; id < requests; id++) {
            ByteBuf one = packet(StorePacket.GET, id, 0, "k", new byte[0]).encode(channel.alloc());
            all.writeBytes(one);
            one.release();
        }
        channel.writeInbound(all);
        assertThat(channel.unsafe().outboundBuffer().totalPendingWriteBytes())
                .isLessThan(4L * Rendezvous.MAX_VALUE_BYTES);
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.stalled = false;
        int answered = 0;
        for (int turn = 0; turn < 10 * requests && answered < requests; turn++) {
            channel.flushOutbound();
            channel.runPendingTasks();
            for (ByteBuf reply = channel.readOutbound(); reply != null; reply = channel.readOutbound()) {
                reply.release();
                answered++;
            }
        }
        assertThat(answered).isEqualTo(requests);
        assertThat(channel.config().isAutoRead()).isTrue();
    }
}
