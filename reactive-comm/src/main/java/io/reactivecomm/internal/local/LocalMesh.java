package io.reactivecomm.internal.local;

import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One rank's links to the others of its JVM. The last rank that closes ends the loops. */
final class LocalMesh implements Mesh {

    /** All ranks share one JVM, and no rank of another world asks. */
    private static final String HOST = "this JVM";

    private final int rank;
    private final String worldId;
    private final Loop loop;
    private final @Nullable LocalLink[] links;
    private final LiveBoard board;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param links the link to each rank, none at this one's place */
    LocalMesh(int rank, String worldId, Loop loop, @Nullable LocalLink[] links, LiveBoard board, Runnable onClose) {
        this.rank = rank;
        this.worldId = worldId;
        this.loop = loop;
        this.links = links;
        this.board = board;
        this.onClose = onClose;
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
        return HOST;
    }

    @Override
    public List<Integer> hosts() {
        return Collections.nCopies(links.length, 0);
    }

    @Override
    public boolean leavesHost() {
        return false;
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public Link link(int peer) {
        LocalLink link = links[peer];
        if (link == null) {
            throw new IllegalArgumentException("a rank has no link to itself: rank=" + rank);
        }
        return link;
    }

    @Override
    public void start(LinkEvents events) {
        for (LocalLink link : links) {
            if (link != null) {
                link.start(events);
            }
        }
    }

    @Override
    public @Nullable Rendezvous rendezvous() {
        return null;
    }

    @Override
    public LiveBoard board() {
        return board;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.run();
        }
    }
}
