package io.reactivecomm.rcomm.hosts;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The addresses of hosts, {@code 10.77.0.1} and {@code fd77::1} for host 0, and their place in packets. */
final class HostAddress {

    /** No host's. */
    static final int NOBODY = -1;

    private static final String V4 = "10.77.0.";
    private static final String V6 = "fd77::";

    private static final int V4_PREFIX = 0x0a4d00;
    private static final int V4_DESTINATION = 16;
    private static final int V4_HEADER = 20;

    private static final long V6_PREFIX = 0xfd77L << 48;
    private static final int V6_DESTINATION = 24;
    private static final int V6_HEADER = 40;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private HostAddress() {}

    static String v4(int host) {
        return V4 + (host + 1);
    }

    static String v6(int host) {
        return V6 + Integer.toHexString(host + 1);
    }

    /** {@return the host to which an IP packet goes, or {@link #NOBODY}: a multicast, or none of these addresses} */
    static int destination(MemorySegment packet, int length) {
        int version = length == 0 ? 0 : (packet.get(ValueLayout.JAVA_BYTE, 0) & 0xff) >>> 4;
        if (version == 4 && length >= V4_HEADER) {
            int address = packet.get(INT, V4_DESTINATION);
            return address >>> 8 == V4_PREFIX ? (address & 0xff) - 1 : NOBODY;
        }
        if (version == 6 && length >= V6_HEADER && packet.get(LONG, V6_DESTINATION) == V6_PREFIX) {
            long host = packet.get(LONG, V6_DESTINATION + Long.BYTES) - 1;
            return host >= 0 && host < Placement.MOST_HOSTS ? (int) host : NOBODY;
        }
        return NOBODY;
    }
}
