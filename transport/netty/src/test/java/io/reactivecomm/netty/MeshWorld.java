package io.reactivecomm.netty;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommConfig;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.link.LinkPair;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks of a world in one JVM, each with its own transport, over a store that the test hosts. */
public final class MeshWorld implements AutoCloseable {

    public static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Of the store and of its ranks. */
    public static final String TOKEN = "the token of a world in one JVM";

    public final StoreServer store;
    public final TransportOptions options;
    private final List<Mesh> meshes = new ArrayList<>();

    public MeshWorld(TransportOptions options) {
        this.options = options;
        this.store = StoreServer.start("127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS, options)
                .block(PATIENCE);
    }

    public CommConfig config(int rank, int worldSize) {
        return CommConfig.of(rank, worldSize, "127.0.0.1", store.port())
                .withStoreHosted(true)
                .withToken(TOKEN)
                .withEncryption(ConnectedWorlds.ENCRYPTION)
                .withRendezvousTimeout(PATIENCE);
    }

    /** {@return a rank's attempt to join} */
    Mono<Mesh> join(int rank, int worldSize, UnaryOperator<CommConfig> change) {
        return new TcpTransport(options)
                .connect(change.apply(config(rank, worldSize)))
                .doOnNext(this::keep);
    }

    public Mono<Mesh> join(int rank, int worldSize) {
        return join(rank, worldSize, config -> config);
    }

    /** {@return the ranks of a whole world, in order} */
    public List<Mesh> connect(int worldSize) {
        return Flux.range(0, worldSize)
                .flatMap(rank -> join(rank, worldSize))
                .collectSortedList((a, b) -> Integer.compare(a.rank(), b.rank()))
                .block(PATIENCE);
    }

    private synchronized void keep(Mesh mesh) {
        meshes.add(mesh);
    }

    public static void run(Mesh mesh, Runnable task) {
        LinkPair.run((NettyLoop) mesh.loop(), task);
    }

    /** {@return the threads of such names that do not end; one whose work is over may still have its last steps to do} */
    public static List<String> threads(String prefix) throws InterruptedException {
        List<String> lasting = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(prefix) && !thread.join(MeshWorld.PATIENCE)) {
                lasting.add(thread.getName());
            }
        }
        return lasting;
    }

    @Override
    public synchronized void close() {
        meshes.forEach(Mesh::close);
        store.close();
    }
}
