package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.internal.connection.Dialer;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * More idle connections than the store keeps, which come again when they are closed: a rank with the token enters with each single dial.
 */
@Timeout(120)
class StoreFloodTest {

    private static final int CROWD = 1500;

    private final MeshWorld world = new MeshWorld(TransportOptions.DEFAULT);
    private final NettyLoop loop = NettyLoop.start("rcomm-loop-flood", Sockets.best());

    @AfterEach
    void end() {
        loop.stop();
        world.close();
    }

    private CompletableFuture<Channel> dial() {
        Handshake.Claim claim = new Handshake.Claim(
                Handshake.Purpose.STORE, world.options.version(), 0, 0, Handshake.STORE, new byte[Handshake.JOB_BYTES]);
        InetSocketAddress store = new InetSocketAddress("127.0.0.1", world.store.port());
        CompletableFuture<Channel> entered = new CompletableFuture<>();
        Dialer.dial(
                loop,
                new Dialer.Target(store, ConnectedWorlds.ENCRYPTION, Dialer.Token.of(MeshWorld.TOKEN), claim),
                TransportOptions.DEFAULT,
                new Dialer.Outcome() {
                    @Override
                    public void connected(Channel channel) {
                        entered.complete(channel);
                    }

                    @Override
                    public void failed(Throwable problem) {
                        entered.completeExceptionally(problem);
                    }
                });
        return entered;
    }

    private void allEnter(int tries, int sources) throws Exception {
        try (IdleCrowd crowd = new IdleCrowd(world.store.port(), sources)) {
            crowd.grow(CROWD);
            for (int i = 0; i < tries; i++) {
                crowd.comeAgain();
                dial().get(20, TimeUnit.SECONDS).close().sync();
            }
            assertThat(world.store.strangers()).isGreaterThanOrEqualTo(CROWD - GuardedListener.MAX_PENDING);
        }
    }

    @Test
    void aRankWithTheToken_entersThroughACrowdOfItsOwnAddress() throws Exception {
        allEnter(5, 1);
    }

    @Test
    void aRankWithTheToken_entersThroughACrowdOfManyAddresses() throws Exception {
        allEnter(5, 100);
    }

    @Test
    @Tag("thorough")
    void twoHundredRanks_enterThroughTheCrowd() throws Exception {
        allEnter(200, 8);
    }
}
