package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.rendezvous.StoreSearch;
import io.reactivecomm.spi.link.Mesh;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** The ranks that hear from the store that one has left. */
@Timeout(60)
class DepartureTest {

    private static final int ATTEMPTS = 1000;

    private final MeshWorld world = new MeshWorld(TransportOptions.DEFAULT);

    @AfterEach
    void end() {
        world.close();
    }

    @Test
    void rankThatIsConnectedWithAll_isNotToldWhoLeaves() {
        List<Mesh> meshes = world.connect(2);
        StoreClient zero = (StoreClient) meshes.get(0).rendezvous();
        Queue<Integer> told = new ConcurrentLinkedQueue<>();
        MeshWorld.run(
                meshes.get(0),
                () -> zero.tell(new StoreClient.DepartureListener() {
                    @Override
                    public void left(int rank, String origin) {
                        told.add(rank);
                    }
                }));
        // Answered behind what it said when it was connected.
        zero.add("asked", 1).block(MeshWorld.PATIENCE);
        meshes.get(1).close();
        awaitItsEndAtTheStore(1, 2);
        zero.add("asked", 1).block(MeshWorld.PATIENCE);
        assertThat(told).isEmpty();
    }

    /** Another may claim the rank then. */
    private void awaitItsEndAtTheStore(int rank, int worldSize) {
        NettyLoop loop = NettyLoop.start("claimant", Sockets.best());
        try {
            String answer = "claimed twice";
            for (int attempt = 0; attempt < ATTEMPTS && answer.contains("claimed twice"); attempt++) {
                answer = claim(loop, rank, worldSize);
            }
            assertThat(answer).contains("ranks are missing");
        } finally {
            loop.stop();
        }
    }

    private String claim(NettyLoop loop, int rank, int worldSize) {
        CommConfig config = world.config(rank, worldSize);
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", world.store.port());
        StoreClient store =
                StoreSearch.find(loop, address, config, world.options).block(MeshWorld.PATIENCE);
        Roster.Entry entry = new Roster.Entry(rank, worldSize, "127.0.0.1", 1, 1, 1);
        String answer = store.join(new JoinRequest(entry, config.agreed()), MeshWorld.PATIENCE)
                .map(String::valueOf)
                .onErrorResume(e -> Mono.just(e.getMessage()))
                .block(MeshWorld.PATIENCE);
        store.close();
        return answer;
    }
}
