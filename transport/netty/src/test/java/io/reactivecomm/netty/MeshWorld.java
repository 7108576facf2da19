package io.reactivecomm.netty;

import io.reactivecomm.CommConfig;
import io.reactivecomm.spi.Mesh;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks of a world in one JVM, each with its own transport, over a store that the test hosts. */
final class MeshWorld implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(20);

    final StoreServer store;
    final TransportOptions options;
    private final List<Mesh> meshes = new ArrayList<>();

    MeshWorld(TransportOptions options) {
        this(options, null);
    }

    MeshWorld(TransportOptions options, String token) {
        this.options = options;
        this.store = StoreServer.start("127.0.0.1", 0, token, false, options).block(PATIENCE);
    }

    CommConfig config(int rank, int worldSize) {
        return CommConfig.of(rank, worldSize, "127.0.0.1", store.port())
                .withStoreHosted(true)
                .withRendezvousTimeout(PATIENCE);
    }

    /** {@return a rank's attempt to join} */
    Mono<Mesh> join(int rank, int worldSize, UnaryOperator<CommConfig> change) {
        return new TcpTransport(options)
                .connect(change.apply(config(rank, worldSize)))
                .doOnNext(this::keep);
    }

    Mono<Mesh> join(int rank, int worldSize) {
        return join(rank, worldSize, config -> config);
    }

    /** {@return the ranks of a whole world, in order} */
    List<Mesh> connect(int worldSize) {
        return Flux.range(0, worldSize)
                .flatMap(rank -> join(rank, worldSize))
                .collectSortedList((a, b) -> Integer.compare(a.rank(), b.rank()))
                .block(PATIENCE);
    }

    private synchronized void keep(Mesh mesh) {
        meshes.add(mesh);
    }

    static void run(Mesh mesh, Runnable task) {
        LinkPair.run((NettyLoop) mesh.loop(), task);
    }

    @Override
    public synchronized void close() {
        meshes.forEach(Mesh::close);
        store.close();
    }
}
