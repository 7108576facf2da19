package io.reactivecomm.shm;

import io.reactivecomm.spi.link.LinkTransport;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.link.LinkContract;
import io.reactivecomm.testkit.link.LinkEnd;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import reactor.core.publisher.Flux;

/** The link contract of the test kit, through shared memory. */
class ShmLinkContractTest extends LinkContract {

    /** What Netty's allocators keep for the life of the JVM. */
    private static final long POOLED_BYTES = 64L << 20;

    private record Ends(HostedStore store, List<Mesh> meshes, LinkEnd near, LinkEnd far) implements LinkContract.Pair {

        static Ends connect() {
            HostedStore store = ConnectedWorlds.store();
            LinkTransport tcp =
                    ServiceLoader.load(LinkTransport.class).findFirst().orElseThrow();
            List<Mesh> meshes = Flux.range(0, 2)
                    .map(rank -> ConnectedWorlds.config(store, ShmWorlds.TRANSPORT, rank, 2))
                    .flatMap(config -> tcp.connect(config).flatMap(mesh -> new ShmUpgrade().upgrade(mesh, config)), 2)
                    .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                    .block(Duration.ofSeconds(30));
            LinkEnd near = new LinkEnd(meshes.get(0).link(1), meshes.get(0).loop());
            LinkEnd far = new LinkEnd(meshes.get(1).link(0), meshes.get(1).loop());
            start(meshes.get(0), near);
            start(meshes.get(1), far);
            return new Ends(store, meshes, near, far);
        }

        private static void start(Mesh mesh, LinkEnd end) {
            CompletableFuture.runAsync(() -> mesh.start(end), mesh.loop())
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
        }

        @Override
        public void close() {
            meshes.forEach(Mesh::close);
            store.close();
        }
    }

    /** The JVM and Netty open some descriptors with the first socket and keep them: that comes before the first case counts. */
    @BeforeAll
    static void openWhatStaysOpen() {
        Ends.connect().close();
    }

    @Override
    protected Pair connect() {
        return Ends.connect();
    }

    @Override
    protected boolean canBreak() {
        return true;
    }

    /** The rank's sockets end, as they do with its process. */
    @Override
    protected void breakAbruptly(Pair pair) {
        ((Ends) pair).meshes.get(1).close();
    }

    @Override
    protected long slackBytes() {
        return POOLED_BYTES;
    }
}
