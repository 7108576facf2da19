package io.reactivecomm.rcomm.hosts;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A capture of all packets that cross an interface in either direction: a packet socket of Linux, which needs root. The kernel keeps the packets until they are
 * read, and counts those for which it had no room.
 */
final class PacketCapture implements AutoCloseable {

    private static final short PACKET_FAMILY = 17;
    private static final int RAW = 3;
    /** ETH_P_ALL in the byte order of the network. */
    private static final short ALL_PROTOCOLS = 0x0300;

    private static final int ADDRESS_BYTES = 20;
    private static final int SOCKET_LEVEL = 1;
    private static final int FORCED_RECEIVE_BUFFER = 33;
    private static final int PACKET_LEVEL = 263;
    private static final int STATISTICS = 6;
    private static final int DO_NOT_WAIT = 0x40;
    private static final int TRY_AGAIN = 11;
    private static final int BUFFER_BYTES = 256 << 20;
    private static final int LONGEST_PACKET = 1 << 20;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRORS = Linker.Option.captureCallState("errno");

    private final Arena arena = Arena.ofShared();
    private final MemorySegment error = arena.allocate(Linker.Option.captureStateLayout());
    private final int socket;

    /** Begins to capture what crosses an interface of the network namespace of this process. */
    PacketCapture(String interfaceName) throws IOException {
        socket = checked("socket", (int) PACKET_FAMILY, RAW, 0);
        MemorySegment room = arena.allocateFrom(ValueLayout.JAVA_INT, BUFFER_BYTES);
        checked("setsockopt", socket, SOCKET_LEVEL, FORCED_RECEIVE_BUFFER, room, (int) room.byteSize());
        MemorySegment address = arena.allocate(ADDRESS_BYTES, Integer.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, PACKET_FAMILY);
        address.set(ValueLayout.JAVA_SHORT, 2, ALL_PROTOCOLS);
        address.set(ValueLayout.JAVA_INT, 4, checked("if_nametoindex", arena.allocateFrom(interfaceName)));
        checked("bind", socket, address, ADDRESS_BYTES);
    }

    /** {@return the packets so far} Fails if one was lost. */
    List<byte[]> packets() throws IOException {
        List<byte[]> packets = new ArrayList<>();
        MemorySegment packet = arena.allocate(LONGEST_PACKET);
        for (int length = receive(packet); length >= 0; length = receive(packet)) {
            packets.add(packet.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
        }
        MemorySegment statistics = arena.allocate(ValueLayout.JAVA_INT, 2);
        MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, (int) statistics.byteSize());
        checked("getsockopt", socket, PACKET_LEVEL, STATISTICS, statistics, size);
        int lost = statistics.getAtIndex(ValueLayout.JAVA_INT, 1);
        if (lost > 0) {
            throw new IOException("packets were lost: lost=" + lost + ", captured=" + packets.size());
        }
        return packets;
    }

    /** {@return the length of the next packet, or -1 if no other is here} */
    private int receive(MemorySegment into) throws IOException {
        int length = call("recv", socket, into, into.byteSize(), DO_NOT_WAIT);
        return length < 0 && errno() == TRY_AGAIN ? -1 : requireGood("recv", length);
    }

    private int checked(String function, Object... arguments) throws IOException {
        return requireGood(function, call(function, arguments));
    }

    private int requireGood(String function, int result) throws IOException {
        if (result < 0) {
            throw new IOException(function + " failed: errno=" + errno());
        }
        return result;
    }

    private int errno() {
        return error.get(ValueLayout.JAVA_INT, 0);
    }

    private int call(String function, Object... arguments) {
        MemoryLayout[] types = Stream.of(arguments)
                .map(argument -> switch (argument) {
                    case Integer _ -> ValueLayout.JAVA_INT;
                    case Long _ -> ValueLayout.JAVA_LONG;
                    default -> ValueLayout.ADDRESS;
                })
                .toArray(MemoryLayout[]::new);
        FunctionDescriptor type = FunctionDescriptor.of(ValueLayout.JAVA_INT, types);
        try {
            return (int) LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(function), type, ERRORS)
                    .bindTo(error)
                    .invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + function, e);
        }
    }

    @Override
    public void close() throws IOException {
        try (arena) {
            checked("close", socket);
        }
    }
}
