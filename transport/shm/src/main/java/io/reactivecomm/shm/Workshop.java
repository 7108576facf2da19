package io.reactivecomm.shm;

import io.reactivecomm.spi.Mesh;
import io.reactivecomm.spi.PollingLoop;
import io.reactivecomm.spi.ProtocolException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a rank has made while the ranks agree on shared memory: its own file, and what it has mapped of others.
 *
 * <p><b>Threads.</b> One at a time, each after the other; {@link #abandon} may come at any time.
 */
final class Workshop {

    private static final Logger LOG = LoggerFactory.getLogger(Workshop.class);

    private final Mesh mesh;
    private final Layout layout;
    private final @Nullable SharedFile file;
    private final String nonce;
    private final Map<Integer, Neighbour> neighbours = new HashMap<>();
    private boolean over;

    /** @param file this rank's memory, or null if it has none */
    Workshop(Mesh mesh, Layout layout, @Nullable SharedFile file) {
        this.mesh = mesh;
        this.layout = layout;
        this.file = file;
        byte[] random = new byte[Layout.NONCE_BYTES];
        new SecureRandom().nextBytes(random);
        this.nonce = HexFormat.of().formatHex(random);
        if (file != null) {
            MemorySegment memory = file.memory();
            MemorySegment.copy(MemorySegment.ofArray(random), 0, memory, Layout.NONCE_OFFSET, random.length);
            Words.write(memory, Layout.VERSION_OFFSET, Layout.VERSION);
            Words.write(memory, Layout.MAGIC_OFFSET, Layout.MAGIC);
        }
    }

    /** {@return one with memory as large as the machine's, of which little is in use; without any if the system refuses that} */
    static Workshop open(Mesh mesh) {
        return open(mesh, machineBytes());
    }

    static Workshop open(Mesh mesh, long machineBytes) {
        Layout layout = Layout.of(mesh.worldSize(), machineBytes);
        try {
            SharedFile file = SharedFile.create(layout.fileBytes());
            try {
                file.reserve(0, layout.desk(0));
            } catch (IOException e) {
                file.close();
                throw e;
            }
            return new Workshop(mesh, layout, file);
        } catch (IOException e) {
            LOG.warn("no shared memory, ranks of this host talk over sockets: rank={}, cause={}", mesh.rank(), e.getMessage());
            return new Workshop(mesh, layout, null);
        }
    }

    private static long machineBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : Runtime.getRuntime().maxMemory();
    }

    Offer offer() {
        return file == null
                ? Offer.none(mesh.host())
                : new Offer(mesh.host(), ProcessHandle.current().pid(), file.descriptor(), layout.fileBytes(), nonce);
    }

    /** Maps another rank's memory, if it is on this host and there is a way to. */
    synchronized void map(int peer, Offer offer) {
        if (over || file == null || offer.descriptor() == Offer.NONE || !offer.host().equals(mesh.host())) {
            return;
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = SharedFile.view(offer.pid(), offer.descriptor(), offer.bytes(), arena);
            requireSame(memory, offer);
            file.reserve(layout.desk(peer), Layout.DESK_BYTES);
            file.reserve(layout.ring(peer), layout.ringBytes());
            neighbours.put(peer, new Neighbour(peer, memory, arena, mesh.link(peer)));
        } catch (IOException | ProtocolException e) {
            arena.close();
            LOG.warn("no shared memory with a rank, talks to it over a socket: rank={}, peer={}, cause={}", mesh.rank(), peer, e.getMessage());
        }
    }

    private void requireSame(MemorySegment memory, Offer offer) {
        boolean isOurs = memory.byteSize() >= layout.heapFrom()
                && Words.read(memory, Layout.MAGIC_OFFSET) == Layout.MAGIC
                && Words.read(memory, Layout.VERSION_OFFSET) == Layout.VERSION
                && nonce(memory).equals(offer.nonce());
        if (!isOurs) {
            throw new ProtocolException("another file is there");
        }
    }

    private static String nonce(MemorySegment memory) {
        return HexFormat.of().formatHex(memory.asSlice(Layout.NONCE_OFFSET, Layout.NONCE_BYTES).toArray(ValueLayout.JAVA_BYTE));
    }

    /** {@return the ranks whose memory is mapped, in order: they are read in the log} */
    synchronized Set<Integer> mapped() {
        return new TreeSet<>(neighbours.keySet());
    }

    /** That rank could not map this one's. */
    synchronized void forget(int peer) {
        Neighbour gone = neighbours.remove(peer);
        if (gone != null) {
            gone.arena().close();
        }
    }

    /** {@return the links, which are now somebody else's to free} */
    synchronized Mesh finish() {
        if (over) {
            throw new IllegalStateException("shared memory was given up: rank=" + mesh.rank());
        }
        over = true;
        if (file == null || neighbours.isEmpty()) {
            free();
            return mesh;
        }
        SharedHeap heap = new SharedHeap(file, layout.heapFrom(), layout.fileBytes() - layout.heapFrom());
        Copies copies = new Copies(heap);
        PollingLoop loop = (PollingLoop) mesh.loop();
        Map<Integer, ShmLink> links = new HashMap<>();
        neighbours.forEach((peer, neighbour) -> links.put(peer, new ShmLink(mesh.rank(), layout, file.memory(), copies, neighbour, loop)));
        return new ShmMesh(mesh, loop, file.memory(), copies, links);
    }

    /** Frees what was made, and the mesh. */
    synchronized void abandon() {
        if (!over) {
            over = true;
            free();
            mesh.close();
        }
    }

    private void free() {
        neighbours.values().forEach(each -> each.arena().close());
        neighbours.clear();
        if (file != null) {
            file.close();
        }
    }
}
