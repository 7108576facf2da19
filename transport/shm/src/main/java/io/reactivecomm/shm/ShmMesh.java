package io.reactivecomm.shm;

import io.reactivecomm.TensorMemory;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.PollingLoop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.link.PeerNews;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A rank's links: through shared memory to the ranks of its host, and to others those that were there before. */
final class ShmMesh implements Mesh, TensorMemory {

    private final Mesh plain;
    private final PollingLoop loop;
    private final CopyPool copies;
    private final SharedHeap heap;
    private final Map<Integer, ShmLink> links;
    private final ShmPoller poller;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Takes over all that was made.
     *
     * @param memory this rank's
     * @param copies all links' own
     * @param links by rank
     */
    ShmMesh(Mesh plain, PollingLoop loop, MemorySegment memory, CopyPool copies, Map<Integer, ShmLink> links) {
        this.plain = plain;
        this.loop = loop;
        this.copies = copies;
        this.heap = copies.heap();
        this.links = Map.copyOf(links);
        this.poller = new ShmPoller(memory, List.copyOf(links.values()), loop);
    }

    @Override
    public int rank() {
        return plain.rank();
    }

    @Override
    public int worldSize() {
        return plain.worldSize();
    }

    @Override
    public String worldId() {
        return plain.worldId();
    }

    @Override
    public String host() {
        return plain.host();
    }

    @Override
    public List<Integer> hosts() {
        return plain.hosts();
    }

    @Override
    public boolean leavesHost() {
        return plain.leavesHost();
    }

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public Link link(int peer) {
        ShmLink link = links.get(peer);
        return link == null ? plain.link(peer) : link;
    }

    @Override
    public void start(LinkEvents events) {
        links.values().forEach(link -> link.start(events));
        plain.start(new Routed(events));
        loop.add(poller);
    }

    @Override
    public @Nullable Rendezvous rendezvous() {
        return plain.rendezvous();
    }

    @Override
    public @Nullable MemorySegment take(long byteSize) {
        return heap.take(byteSize);
    }

    @Override
    public void giveBack(MemorySegment memory) {
        heap.giveBack(memory);
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            plain.close();
            links.values().forEach(ShmLink::free);
            copies.close();
            heap.close();
        }
    }

    /** The events of the links of before: of their own traffic, or of the peer's end where they stand behind another. */
    private final class Routed implements LinkEvents {

        private final LinkEvents events;

        private Routed(LinkEvents events) {
            this.events = events;
        }

        private boolean isBehind(Link link) {
            return links.containsKey(link.peer());
        }

        @Override
        public void onFrame(Link link, Frame frame) {
            if (!isBehind(link)) {
                events.onFrame(link, frame);
            } else if (!(frame instanceof Frame.Knock)) {
                throw new ProtocolException("a frame came beside shared memory: frame=" + frame);
            }
        }

        @Override
        public @Nullable MemorySegment onDataStart(Link link, long grant, int lengthBytes) {
            if (isBehind(link)) {
                throw new ProtocolException("a payload came beside shared memory: grant=" + grant);
            }
            return events.onDataStart(link, grant, lengthBytes);
        }

        @Override
        public void onDataEnd(Link link, long grant) {
            events.onDataEnd(link, grant);
        }

        @Override
        public void onDataFailed(Link link, long grant, Throwable fault) {
            events.onDataFailed(link, grant, fault);
        }

        @Override
        public void onDataLent(Link link, long grant, Loan loan) {
            events.onDataLent(link, grant, loan);
        }

        @Override
        public void onWritten(Link link, Frame.Data frame) {
            events.onWritten(link, frame);
        }

        @Override
        public void onWriteFailed(Link link, Frame.Data frame, Throwable fault) {
            events.onWriteFailed(link, frame, fault);
        }

        @Override
        public void onWritable(Link link) {
            if (!isBehind(link)) {
                events.onWritable(link);
            }
        }

        @Override
        public void onNews(PeerNews news) {
            events.onNews(news);
        }

        @Override
        public boolean hearsOfClocks() {
            return events.hearsOfClocks();
        }

        @Override
        public void onDown(Link link, @Nullable String cause) {
            ShmLink inFront = links.get(link.peer());
            if (inFront == null) {
                events.onDown(link, cause);
            } else {
                inFront.controlDown(cause);
            }
        }
    }
}
