package io.reactivecomm.netty.internal.link;

import io.reactivecomm.netty.internal.life.PeerNewsRelay;
import io.reactivecomm.netty.internal.rendezvous.TransportResources;
import io.reactivecomm.netty.internal.store.StoreClient;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.scheduler.Schedulers;

/** A rank's links to all others, complete. */
final class TcpMesh implements Mesh {

    private static final Logger LOG = WarningLog.of(TcpMesh.class);

    /** A loop that is held up longer than this is closed without a last word to its engine. */
    private static final long LAST_WORD_SECONDS = 1;

    private final int rank;
    private final String worldId;
    private final String host;
    private final List<Integer> hosts;
    private final @Nullable TcpLink[] links;
    private final boolean leavesHost;
    private final TransportResources held;
    private final StoreClient store;
    private final PeerNewsRelay relay;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Takes over all that was made.
     *
     * @param worldId the roster's
     * @param host the identity of this machine
     * @param hosts the number of each rank's machine, by rank
     * @param links by rank; this rank's own place is empty
     */
    TcpMesh(
            int rank,
            String worldId,
            String host,
            List<Integer> hosts,
            @Nullable TcpLink[] links,
            TransportResources held,
            StoreClient store,
            PeerNewsRelay relay) {
        this.rank = rank;
        this.worldId = worldId;
        this.host = host;
        this.hosts = hosts;
        this.links = links.clone();
        this.leavesHost = Arrays.stream(links).anyMatch(link -> link != null && link.leavesHost());
        this.held = held;
        this.store = store;
        this.relay = relay;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int worldSize() {
        return links.length;
    }

    @Override
    public String worldId() {
        return worldId;
    }

    @Override
    public String host() {
        return host;
    }

    @Override
    public List<Integer> hosts() {
        return hosts;
    }

    @Override
    public boolean leavesHost() {
        return leavesHost;
    }

    /** {@return which links are encrypted, for a log: all, none, or the peers} */
    String encrypted() {
        List<Integer> peers = IntStream.range(0, links.length)
                .filter(peer -> links[peer] != null && links[peer].isEncrypted())
                .boxed()
                .toList();
        return peers.isEmpty() ? "none" : peers.size() == links.length - 1 ? "all" : peers.toString();
    }

    @Override
    public Loop loop() {
        return held.loop();
    }

    @Override
    public Link link(int peer) {
        TcpLink link = peer >= 0 && peer < links.length ? links[peer] : null;
        if (link == null) {
            throw new IllegalArgumentException("no link to this rank: peer=" + peer + ", rank=" + rank + ", worldSize="
                    + links.length + "; name another rank");
        }
        return link;
    }

    @Override
    public void start(LinkEvents events) {
        for (TcpLink link : links) {
            if (link != null) {
                link.start(events);
            }
        }
        relay.start(events);
    }

    @Override
    public Rendezvous rendezvous() {
        return store;
    }

    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        CountDownLatch said = new CountDownLatch(1);
        try {
            held.loop().execute(() -> {
                endLinks();
                // Behind the tasks with which the links tell their end.
                held.loop().execute(said::countDown);
            });
            if (!Schedulers.isInNonBlockingThread() && !said.await(LAST_WORD_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("closes while a callback holds the loop: rank={}", rank);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        held.close();
    }

    private void endLinks() {
        for (TcpLink link : links) {
            if (link != null) {
                link.fail("this rank has closed its transport");
            }
        }
    }
}
