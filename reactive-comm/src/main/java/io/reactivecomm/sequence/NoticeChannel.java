package io.reactivecomm.sequence;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Executor;
import reactor.core.publisher.Mono;

/**
 * The notices between this rank and another: one stream of bytes each way, cut into messages of one size.
 *
 * <pre>
 *   0               4                                                                1024
 *   +---------------+-----------------------------------------------------+-----------+
 *   | bytes in use  | notices, one after the other; the first may be the  | not used  |
 *   | little-endian | rest of one that began in the message before        |           |
 *   +---------------+-----------------------------------------------------+-----------+
 * </pre>
 *
 * <p>What was sent in a round leaves together. Up to {@link #WINDOW} messages are on their way; behind them notices wait here, of which
 * there are no more than there are calls. As many receives are posted, so that the last notices of a rank that leaves are taken before its
 * goodbye. Messages are awaited without a deadline: there may be nothing to say for days. They end with the control group.
 *
 * <p><b>Buffers.</b> The memory is freed once the wire is closed and its last call has ended.
 *
 * <p><b>Threads.</b> One at a time: it belongs to {@link DrainLoop}.
 */
final class NoticeChannel {

    /** Holds a round's notices mostly, and travels without asking. */
    static final int PACKET_BYTES = 1024;

    /** Messages under way each way: enough to hide the way there and back, and 16 KiB for each rank at the leader. */
    static final int WINDOW = 8;

    private static final int HEADER_BYTES = 4;
    private static final ValueLayout.OfInt USED = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Longer than any job. */
    private static final Duration FOREVER = Duration.ofDays(10_000);

    private final ProcessGroup control;
    private final int peer;
    private final Executor tasks;
    private final Reader reader;
    private final Runnable closed;
    private final Tensor memory;
    private final boolean[] sending = new boolean[WINDOW];
    private final boolean[] arrived = new boolean[WINDOW];
    private final ArrayDeque<byte[]> unsent = new ArrayDeque<>();
    /** Bytes of the first in {@link #unsent} that are on their way. */
    private int begun;
    /** The next place in which a message arrives. */
    private int next;
    /** What has arrived of a notice whose rest has not. */
    private byte[] partial = {};

    private boolean down;
    private boolean closing;
    private boolean released;

    /** Takes what comes. */
    interface Reader {

        /** A notice has come; throws {@link ProtocolException} if it makes no sense. */
        void take(Notice notice);

        /** Nothing more will come, and nothing more will leave. */
        void down(String cause);
    }

    /** @param closed told once, when the last notice has been taken by the peer after {@link #close}, or cannot be */
    NoticeChannel(ProcessGroup control, int peer, Executor tasks, Reader reader, Runnable closed) {
        this.control = control.timeout(FOREVER);
        this.peer = peer;
        this.tasks = tasks;
        this.reader = reader;
        this.closed = closed;
        this.memory = control.allocate(DType.UINT8, 2L * WINDOW * PACKET_BYTES);
    }

    /** Begins to receive. */
    void start() {
        for (int place = 0; place < WINDOW; place++) {
            receive(place);
        }
    }

    /** Adds a notice to what leaves with the next {@link #flush()}. */
    void send(Notice notice) {
        if (!down) {
            unsent.add(NoticeWriter.bytes(notice));
        }
    }

    /** Lets leave what can. */
    void flush() {
        for (int place = 0; place < WINDOW && !down && !unsent.isEmpty(); place++) {
            if (!sending[place]) {
                sending[place] = true;
                Tensor packet = packet(place);
                fill(packet.segment());
                int own = place;
                begin(control.send(packet, peer, 0), () -> sent(own));
            }
        }
        releaseIfIdle();
    }

    /** Lets what was sent leave, takes nothing more, and frees the memory. */
    void close() {
        closing = true;
    }

    private Tensor packet(int place) {
        return memory.slice((long) place * PACKET_BYTES, PACKET_BYTES);
    }

    private void begin(Mono<Work> call, Runnable succeeded) {
        call.subscribe(
                ignored -> {},
                error -> tasks.execute(() -> goDown(CommException.textOf(error))),
                () -> tasks.execute(succeeded));
    }

    private void fill(MemorySegment packet) {
        int used = 0;
        while (used < PACKET_BYTES - HEADER_BYTES && !unsent.isEmpty()) {
            byte[] first = unsent.getFirst();
            int part = Math.min(first.length - begun, PACKET_BYTES - HEADER_BYTES - used);
            MemorySegment.copy(first, begun, packet, ValueLayout.JAVA_BYTE, HEADER_BYTES + used, part);
            used += part;
            begun += part;
            if (begun == first.length) {
                unsent.removeFirst();
                begun = 0;
            }
        }
        packet.set(USED, 0, used);
    }

    private void sent(int place) {
        sending[place] = false;
    }

    private void receive(int place) {
        begin(control.receive(packet(WINDOW + place), peer, 0), () -> arrived(place));
    }

    private void arrived(int place) {
        arrived[place] = true;
        while (arrived[next] && !down && !closing) {
            arrived[next] = false;
            try {
                read(packet(WINDOW + next).segment());
                receive(next);
            } catch (ProtocolException e) {
                goDown("it broke the protocol: " + CommException.textOf(e));
            }
            next = (next + 1) % WINDOW;
        }
    }

    private void read(MemorySegment packet) {
        int used = packet.get(USED, 0);
        if (used < 0 || used > PACKET_BYTES - HEADER_BYTES) {
            throw new ProtocolException(
                    "broken packet of notices: used=" + used + ", most=" + (PACKET_BYTES - HEADER_BYTES));
        }
        byte[] bytes = Arrays.copyOf(partial, partial.length + used);
        MemorySegment.copy(packet, ValueLayout.JAVA_BYTE, HEADER_BYTES, bytes, partial.length, used);
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (in.remaining() >= NoticeLayout.LENGTH_BYTES) {
            int length = in.getInt(in.position());
            if (length < 0 || length > NoticeLayout.MAX_BYTES) {
                throw new ProtocolException(
                        "notice of impossible length: length=" + length + ", most=" + NoticeLayout.MAX_BYTES);
            }
            if (in.remaining() - NoticeLayout.LENGTH_BYTES < length) {
                break;
            }
            int from = in.position() + NoticeLayout.LENGTH_BYTES;
            in.position(from + length);
            reader.take(NoticeReader.read(in.slice(from, length), control.size()));
        }
        partial = Arrays.copyOfRange(bytes, in.position(), bytes.length);
    }

    private void goDown(String cause) {
        if (!down) {
            down = true;
            unsent.clear();
            if (!closing) {
                reader.down(cause);
            }
        }
        releaseIfIdle();
    }

    private void releaseIfIdle() {
        boolean idle = down || (closing && unsent.isEmpty() && !isSending());
        if (idle && !released) {
            released = true;
            down = true;
            memory.close();
            closed.run();
        }
    }

    private boolean isSending() {
        for (boolean each : sending) {
            if (each) {
                return true;
            }
        }
        return false;
    }
}
