package io.reactivecomm.shm;

import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.PollingLoop.Poller;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Looks at the rings of all ranks of this host, and says when this rank sleeps.
 *
 * <p>Going to sleep is told before the last look at the rings, and whoever writes to one looks at that word afterwards: so nothing is left
 * lying. The word is odd during a nap and never the same for two naps, so each peer knocks once.
 *
 * <p><b>Threads.</b> The loop.
 */
final class ShmPoller implements Poller {

    /** How soon a rank that sleeps looks again whether a peer has made room. */
    private static final long RETRY_NANOS = 1_000_000;

    private final MemorySegment own;
    private final List<ShmLink> links;
    private final Loop loop;
    private long naps;

    ShmPoller(MemorySegment own, List<ShmLink> links, Loop loop) {
        this.own = own;
        this.links = links;
        this.loop = loop;
    }

    @Override
    public boolean poll() {
        boolean found = false;
        for (int i = 0; i < links.size(); i++) {
            found |= links.get(i).poll();
        }
        return found;
    }

    @Override
    public boolean park() {
        tell();
        SharedWords.everywhere();
        boolean pending = false;
        for (ShmLink link : links) {
            if (link.hasNews()) {
                return false;
            }
            pending |= link.isPending();
        }
        if (pending) {
            loop.schedule(() -> {}, RETRY_NANOS);
        }
        return true;
    }

    @Override
    public void unpark() {
        // A loop may have gone to sleep before it knew of this.
        if ((naps & 1) != 0) {
            tell();
        }
    }

    private void tell() {
        SharedWords.write(own, SharedFileLayout.NAPS_OFFSET, ++naps);
    }
}
