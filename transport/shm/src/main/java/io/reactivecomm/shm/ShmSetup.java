package io.reactivecomm.shm;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.NativeAccess;
import io.reactivecomm.spi.PollingLoop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.Mesh;
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

/**
 * The resources that a rank has made while the ranks agree on shared memory: its own file, and what it has mapped of others.
 *
 * <p><b>Threads.</b> One at a time, each after the other; {@link #abandon} may come at any time.
 */
final class ShmSetup {

    private static final Logger LOG = WarningLog.of(ShmSetup.class);

    private final Mesh mesh;
    private final SharedFileLayout layout;
    private final @Nullable SharedFile file;
    private final String nonce;
    private final Map<Integer, HostPeer> hostPeers = new HashMap<>();
    private boolean over;

    /** @param file this rank's memory, or null if it has none */
    ShmSetup(Mesh mesh, SharedFileLayout layout, @Nullable SharedFile file) {
        this.mesh = mesh;
        this.layout = layout;
        this.file = file;
        byte[] random = new byte[SharedFileLayout.NONCE_BYTES];
        new SecureRandom().nextBytes(random);
        this.nonce = HexFormat.of().formatHex(random);
        if (file != null) {
            MemorySegment memory = file.memory();
            MemorySegment.copy(MemorySegment.ofArray(random), 0, memory, SharedFileLayout.NONCE_OFFSET, random.length);
            SharedWords.write(memory, SharedFileLayout.VERSION_OFFSET, SharedFileLayout.VERSION);
            SharedWords.write(memory, SharedFileLayout.MAGIC_OFFSET, SharedFileLayout.MAGIC);
        }
    }

    /** {@return one with memory as large as the machine's, of which little is in use; without any if the system or the JVM refuses that} */
    static ShmSetup open(Mesh mesh) {
        return open(mesh, machineBytes());
    }

    static ShmSetup open(Mesh mesh, long machineBytes) {
        SharedFileLayout layout = SharedFileLayout.of(mesh.worldSize(), machineBytes);
        try {
            SharedFile file = SharedFile.create(layout.fileBytes());
            try {
                file.reserve(0, layout.controlBlock(0));
            } catch (IOException e) {
                file.close();
                throw e;
            }
            return new ShmSetup(mesh, layout, file);
        } catch (IOException e) {
            return without(mesh, layout, CommException.textOf(e));
        } catch (LinkageError e) {
            // The C library, or the part of it that is needed, cannot be called.
            return without(mesh, layout, NativeAccess.reason(e));
        }
    }

    private static ShmSetup without(Mesh mesh, SharedFileLayout layout, String cause) {
        LOG.warn("no shared memory, ranks of this host talk over sockets: rank={}, cause={}", mesh.rank(), cause);
        return new ShmSetup(mesh, layout, null);
    }

    private static long machineBytes() {
        try {
            return ManagementFactory.getOperatingSystemMXBean()
                            instanceof com.sun.management.OperatingSystemMXBean system
                    ? system.getTotalMemorySize()
                    : Runtime.getRuntime().maxMemory();
        } catch (LinkageError e) {
            // A runtime without the module jdk.management.
            return Runtime.getRuntime().maxMemory();
        }
    }

    ShmOffer offer() {
        return file == null
                ? ShmOffer.none(mesh.host())
                : new ShmOffer(
                        mesh.host(), ProcessHandle.current().pid(), file.descriptor(), layout.fileBytes(), nonce);
    }

    /** Maps another rank's memory, if it is on this host and there is a way to. */
    synchronized void map(int peer, ShmOffer offer) {
        if (over
                || file == null
                || offer.descriptor() == ShmOffer.NONE
                || !offer.host().equals(mesh.host())) {
            return;
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = SharedFile.view(offer.pid(), offer.descriptor(), offer.bytes(), arena);
            requireSame(memory, offer);
            file.reserve(layout.controlBlock(peer), SharedFileLayout.CONTROL_BLOCK_BYTES);
            file.reserve(layout.ring(peer), layout.ringBytes());
            hostPeers.put(peer, new HostPeer(peer, memory, arena, mesh.link(peer)));
        } catch (IOException | ProtocolException e) {
            arena.close();
            LOG.warn(
                    "no shared memory with a rank, talks to it over a socket: rank={}, peer={}, cause={}",
                    mesh.rank(),
                    peer,
                    CommException.textOf(e));
        }
    }

    private void requireSame(MemorySegment memory, ShmOffer offer) {
        boolean isOurs = memory.byteSize() >= layout.heapFrom()
                && SharedWords.read(memory, SharedFileLayout.MAGIC_OFFSET) == SharedFileLayout.MAGIC
                && SharedWords.read(memory, SharedFileLayout.VERSION_OFFSET) == SharedFileLayout.VERSION
                && nonce(memory).equals(offer.nonce());
        if (!isOurs) {
            throw new ProtocolException("another file is there: bytes=" + memory.byteSize() + ", least="
                    + layout.heapFrom() + ", nonce=" + offer.nonce());
        }
    }

    private static String nonce(MemorySegment memory) {
        return HexFormat.of()
                .formatHex(memory.asSlice(SharedFileLayout.NONCE_OFFSET, SharedFileLayout.NONCE_BYTES)
                        .toArray(ValueLayout.JAVA_BYTE));
    }

    /** {@return the ranks whose memory is mapped, in order: they are read in the log} */
    synchronized Set<Integer> mapped() {
        return new TreeSet<>(hostPeers.keySet());
    }

    /** That rank could not map this one's. */
    synchronized void forget(int peer) {
        HostPeer gone = hostPeers.remove(peer);
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
        if (file == null || hostPeers.isEmpty()) {
            free();
            return mesh;
        }
        SharedHeap heap = new SharedHeap(file, layout.heapFrom(), layout.fileBytes() - layout.heapFrom());
        CopyPool copies = new CopyPool(heap);
        PollingLoop loop = (PollingLoop) mesh.loop();
        Map<Integer, ShmLink> links = new HashMap<>();
        hostPeers.forEach((peer, hostPeer) ->
                links.put(peer, new ShmLink(mesh.rank(), layout, file.memory(), copies, hostPeer, loop)));
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
        hostPeers.values().forEach(each -> each.arena().close());
        hostPeers.clear();
        if (file != null) {
            file.close();
        }
    }
}
