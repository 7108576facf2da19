package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.HmacSha256;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The addresses at which the ranks of a complete world listen.
 *
 * <pre>
 *    a roster                               an entry
 *  0 +---------------------------+        0 +-------------+-------------+
 *    |       Job (16 bytes)      |          |    Rank     | World size  |
 * 16 +-------------+-------------+        8 +-------------+-------------+
 *    |   Entries   |                        |  Data port  |Control port |
 * 20 +-------------+                     16 +-------------+-------------+
 *    |   Entries, in rank order  ...        |  Patience, milliseconds   |
 *                                        24 +-------------+-------------+
 *                                           |  Beat port  | Host length |
 *                                        32 +-------------+-------------+
 *                                           |          Machine          |
 *                                        40 +-------------+-------------+
 *                                           |   Host     ...
 * </pre>
 *
 * @param job a number that no other world has: a connection that does not name it is not of this world
 * @param entries the ranks, in order
 */
public record Roster(byte[] job, List<Entry> entries) {

    /** More processes than one store could serve sockets to. */
    public static final int MAX_WORLD_SIZE = 65_536;

    /** The time that a rank may take to connect with all others. All of them have joined, so it is short, whatever the rendezvous timeout. */
    public static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int ENTRY_BYTES = 40;
    private static final int MAX_HOST_BYTES = 256;
    private static final int ID_BYTES = 8;

    /** {@return what tells the world from all others, for all to see} The job's number, by which connections prove that they are of it, is not told. */
    public String worldId() {
        byte[] id = HmacSha256.keyed(job).doFinal("world".getBytes(UTF_8));
        return HexFormat.of().formatHex(id, 0, ID_BYTES);
    }

    /** {@return how many ranks, this one among them, are on the same machine} */
    public long ranksBeside(int rank) {
        long machine = entries.get(rank).machine();
        return entries.stream().filter(entry -> entry.machine() == machine).count();
    }

    /** {@return the number of each rank's machine, by rank, as machines first come in that order} */
    public List<Integer> hosts() {
        Map<Long, Integer> numbers = new HashMap<>();
        return entries.stream()
                .map(entry -> numbers.computeIfAbsent(entry.machine(), ignored -> numbers.size()))
                .toList();
    }

    /**
     * One rank.
     *
     * @param beatPort where it takes heartbeats as datagrams, or 0 for nowhere
     * @param patienceMillis how long it waits for the others
     * @param machine the number of its machine, which no other has
     */
    public record Entry(
            int rank,
            int worldSize,
            String host,
            int dataPort,
            int controlPort,
            int beatPort,
            long patienceMillis,
            long machine) {

        /** One that takes no datagrams, on a machine that all have in common that do not name one. */
        public Entry(int rank, int worldSize, String host, int dataPort, int controlPort, long patienceMillis) {
            this(rank, worldSize, host, dataPort, controlPort, 0, patienceMillis, 0);
        }

        byte[] encode() {
            return ByteBufUtil.getBytes(write(Unpooled.buffer()));
        }

        private ByteBuf write(ByteBuf into) {
            byte[] name = host.getBytes(UTF_8);
            into.writeIntLE(rank).writeIntLE(worldSize).writeIntLE(dataPort).writeIntLE(controlPort);
            return into.writeLongLE(patienceMillis)
                    .writeIntLE(beatPort)
                    .writeIntLE(name.length)
                    .writeLongLE(machine)
                    .writeBytes(name);
        }

        /** @throws ProtocolException if no entry stands there */
        static Entry read(ByteBuf from) {
            if (from.readableBytes() < ENTRY_BYTES) {
                throw new ProtocolException(
                        "roster entry cut short: needs=" + ENTRY_BYTES + ", there=" + from.readableBytes());
            }
            int rank = from.readIntLE();
            int worldSize = from.readIntLE();
            int dataPort = from.readIntLE();
            int controlPort = from.readIntLE();
            long patienceMillis = from.readLongLE();
            int beatPort = from.readIntLE();
            int length = from.readIntLE();
            long machine = from.readLongLE();
            boolean sound = rank >= 0
                    && rank < worldSize
                    && worldSize <= MAX_WORLD_SIZE
                    && patienceMillis > 0
                    && isPort(dataPort)
                    && isPort(controlPort)
                    && (beatPort == 0 || isPort(beatPort))
                    && length >= 0
                    && length <= Math.min(MAX_HOST_BYTES, from.readableBytes());
            if (!sound) {
                throw new ProtocolException("broken roster entry: rank=" + rank + ", worldSize=" + worldSize
                        + ", patienceMillis=" + patienceMillis + ", dataPort=" + dataPort + ", controlPort="
                        + controlPort
                        + ", beatPort=" + beatPort
                        + ", hostBytes=" + length);
            }
            String host = from.readString(length, UTF_8);
            return new Entry(rank, worldSize, host, dataPort, controlPort, beatPort, patienceMillis, machine);
        }

        private static boolean isPort(int port) {
            return port >= 1 && port <= 65535;
        }
    }

    byte[] encode() {
        ByteBuf into = Unpooled.buffer().writeBytes(job).writeIntLE(entries.size());
        for (Entry entry : entries) {
            entry.write(into);
        }
        return ByteBufUtil.getBytes(into);
    }

    /** @throws ProtocolException if that is no roster */
    static Roster decode(byte[] bytes) {
        ByteBuf from = Unpooled.wrappedBuffer(bytes);
        if (from.readableBytes() < Handshake.JOB_BYTES + 4) {
            throw new ProtocolException(
                    "roster cut short: needs=" + (Handshake.JOB_BYTES + 4) + ", there=" + bytes.length);
        }
        byte[] job = new byte[Handshake.JOB_BYTES];
        from.readBytes(job);
        int count = from.readIntLE();
        if (count < 1 || (long) count * ENTRY_BYTES > from.readableBytes()) {
            throw new ProtocolException("roster of impossible size: entries=" + count + ", bytes=" + bytes.length);
        }
        List<Entry> entries = new ArrayList<>(count);
        for (int rank = 0; rank < count; rank++) {
            Entry entry = Entry.read(from);
            if (entry.rank() != rank) {
                throw new ProtocolException("roster out of order: entry=" + rank + ", rank=" + entry.rank());
            }
            entries.add(entry);
        }
        return new Roster(job, List.copyOf(entries));
    }
}
