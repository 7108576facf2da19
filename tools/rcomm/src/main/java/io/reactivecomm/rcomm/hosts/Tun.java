package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.CommException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The other end of a host's interface: what the host sends is read here, and what is written here it receives, IP packet by IP packet.
 *
 * <p><b>Threads.</b> One reads and one writes. {@link #close} when neither does.
 */
final class Tun implements AutoCloseable {

    private static final String DEVICE = "/dev/net/tun";

    /** TUNSETIFF, which takes a struct ifreq: the name in 16 bytes, then flags. */
    private static final long SET_INTERFACE = 0x400454caL;

    private static final int REQUEST_BYTES = 40;
    private static final int FLAGS = 16;

    /** IFF_TUN and IFF_NO_PI: IP packets, and nothing before them. */
    private static final short PLAIN_PACKETS = 0x1001;

    private final int descriptor;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment readErrors = arena.allocate(NamespaceCalls.ERRORS);
    private final MemorySegment writeErrors = arena.allocate(NamespaceCalls.ERRORS);

    private Tun(int descriptor) {
        this.descriptor = descriptor;
    }

    /** {@return a new interface of that name in the namespace} */
    static Tun make(NetworkNamespace namespace, String name) {
        try {
            return namespace.call(() -> make(name));
        } catch (IOException e) {
            throw new HostsException(
                    "a latency needs TUN devices: device=" + DEVICE + ", reason=" + CommException.textOf(e)
                            + "; load the kernel's module tun, and let this process open it",
                    e);
        }
    }

    private static Tun make(String name) throws IOException {
        int descriptor = NamespaceCalls.open(DEVICE);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = arena.allocate(REQUEST_BYTES);
            request.setString(0, name);
            request.set(ValueLayout.JAVA_SHORT, FLAGS, PLAIN_PACKETS);
            NamespaceCalls.control(descriptor, SET_INTERFACE, request);
            return new Tun(descriptor);
        } catch (IOException e) {
            NamespaceCalls.close(descriptor);
            throw e;
        }
    }

    /**
     * Waits for a packet.
     *
     * @return its length
     * @throws IOException if the interface has been taken away
     */
    int read(MemorySegment into) throws IOException {
        return NamespaceCalls.read(descriptor, into, readErrors);
    }

    /** Gives the host a packet. */
    void write(MemorySegment packet, int length) throws IOException {
        NamespaceCalls.write(descriptor, packet, length, writeErrors);
    }

    @Override
    public void close() {
        NamespaceCalls.close(descriptor);
        arena.close();
    }
}
