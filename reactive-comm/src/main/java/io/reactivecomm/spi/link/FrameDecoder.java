package io.reactivecomm.spi.link;

import static io.reactivecomm.spi.link.FrameLayout.*;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;

/** Reads one frame in {@link FrameLayout}'s order; refuses what does not fill it exactly. */
final class FrameDecoder {

    private static final Operation[] OPERATIONS = Operation.values();
    private static final Failure.Kind[] FAILURES = Failure.Kind.values();
    private static final Frame.Status.State[] STATES = Frame.Status.State.values();

    private final ByteBuffer in;
    private final int end;
    private final byte type;

    /** @param length what {@link FrameCodec#lengthOf} returned; so many bytes are there */
    FrameDecoder(ByteBuffer in, int length) {
        this.in = in;
        this.end = in.position() + length;
        this.type = in.get(in.position() + TYPE_OFFSET);
    }

    Frame decode() {
        in.position(in.position() + HEADER_BYTES);
        Frame frame = body();
        if (in.position() != end) {
            throw broken("bytes behind the last field", "behind=" + (end - in.position()));
        }
        return frame;
    }

    private Frame body() {
        return switch (type) {
            case WITHDRAWN -> new Frame.Withdrawn(number());
            case DROPPED -> new Frame.Dropped(number());
            case TAKEN -> new Frame.Taken(natural(number(), "bytes"));
            case GRANT -> grant();
            case OPEN -> open();
            case ANNOUNCE -> new Frame.Announce(number(), edge());
            case WANTED -> wanted();
            case ABORT -> new Frame.Abort(key(), failure());
            case GROUP_ABORT -> new Frame.GroupAbort(number(), failure());
            case LOST -> lost();
            case CUT -> cut();
            case QUERY -> query();
            case STATUS -> status();
            case DISPUTE -> new Frame.Dispute(key());
            case PERFORMS -> performs();
            case LEAVE -> new Frame.Leave(number());
            case GOODBYE -> new Frame.Goodbye();
            case KNOCK -> new Frame.Knock();
            default -> throw broken("unknown type", "known=" + PERFORMS);
        };
    }

    private Frame grant() {
        need(GRANT_BYTES);
        long call = in.getLong();
        long grant = in.getLong();
        long from = natural(in.getLong(), "from");
        int edge = natural(in.getInt(), "edge");
        return new Frame.Grant(call, edge, from, natural(in.getInt(), "count"), grant);
    }

    private Frame open() {
        need(OPEN_BYTES);
        long call = in.getLong();
        long peerCall = in.getLong();
        long outgoing = in.getLong();
        long incoming = in.getLong();
        long site = in.getLong();
        Operation operation = coded(OPERATIONS, in.get() & 0xff, "operation");
        DType dtype = dtype(in.get() & 0xff);
        int reductionLength = in.get() & 0xff;
        reserved(in.get());
        int root = in.getInt();
        long count = in.getLong();
        if (root < Signature.NO_ROOT || count < Signature.UNEVEN) {
            throw broken("impossible root or count", "root=" + root + ", count=" + count);
        }
        long partition = in.getLong();
        int edgeCount = in.getInt();
        reserved(in.getInt());
        CallKey key = key();
        String reduction = reductionLength == 0 ? null : text(reductionLength, FrameCodec.MAX_REDUCTION_BYTES);
        Signature signature = new Signature(operation, dtype, count, root, reduction, partition);
        return new Frame.Open(key, call, peerCall, signature, outgoing, incoming, site, edges(edgeCount));
    }

    private List<Frame.Edge> edges(int edgeCount) {
        if (edgeCount < 0 || (long) edgeCount * EDGE_BYTES > end - in.position()) {
            throw broken("edges do not fit", "edges=" + edgeCount + ", there=" + (end - in.position()));
        }
        if (edgeCount == 1) {
            return List.of(edge());
        }
        List<Frame.Edge> edges = new ArrayList<>(edgeCount);
        for (int i = 0; i < edgeCount; i++) {
            edges.add(edge());
        }
        return List.copyOf(edges);
    }

    private DType dtype(int code) {
        try {
            return DType.ofWireCode(code);
        } catch (IllegalArgumentException e) {
            throw broken("unknown element type", "dtype=" + code);
        }
    }

    private Frame.Edge edge() {
        need(EDGE_BYTES);
        long ready = natural(in.getLong(), "ready");
        int edge = natural(in.getInt(), "edge");
        return new Frame.Edge(edge, ready, eager(in.getInt()));
    }

    private CallKey key() {
        return key(0);
    }

    /** @param depth how many calls it encloses */
    private CallKey key(int depth) {
        need(KEY_BYTES);
        byte kind = in.get();
        byte parts = parts();
        int nameLength = in.getShort() & 0xffff;
        int generation = in.getInt();
        long group = in.getLong();
        long number = in.getLong();
        int ordinalOrTag = in.getInt();
        int source = in.getInt();
        int destination = in.getInt();
        reserved(in.getInt());
        String name = text(nameLength, FrameCodec.MAX_NAME_BYTES);
        long step = step(parts);
        // Each way to its end, so that no enclosure is merged with none: some JVMs compile that wrongly.
        if (kind == MESSAGE) {
            return isEnclosed(parts)
                    ? new CallKey.Message(
                            generation, group, step, name, ordinalOrTag, source, destination, number, enclosure(depth))
                    : new CallKey.Message(
                            generation, group, step, name, ordinalOrTag, source, destination, number, null);
        }
        reserved(kind | source | destination);
        return isEnclosed(parts)
                ? new CallKey.Ticket(generation, group, step, name, number, ordinalOrTag, enclosure(depth))
                : new CallKey.Ticket(generation, group, step, name, number, ordinalOrTag, null);
    }

    /** {@return which parts follow a name} */
    private byte parts() {
        byte parts = in.get();
        reserved(parts & ~(ENCLOSED | STEPPED));
        return parts;
    }

    private static boolean isEnclosed(byte parts) {
        return (parts & ENCLOSED) != 0;
    }

    private long step(byte parts) {
        if ((parts & STEPPED) == 0) {
            return CallKey.NO_STEP;
        }
        need(STEP_BYTES);
        long step = in.getLong();
        if (step < 0) {
            throw broken("impossible number of a scope", "number=" + step);
        }
        return step;
    }

    private Enclosure enclosure(int depth) {
        if (depth == Enclosure.MOST_DEEP) {
            throw broken("composite calls too deep in one another", "most=" + Enclosure.MOST_DEEP);
        }
        need(ENCLOSURE_BYTES);
        long operation = in.getLong();
        if (key(depth + 1) instanceof CallKey.Ticket run) {
            return new Enclosure(run, operation);
        }
        throw broken("a message encloses a call", "depth=" + depth);
    }

    private Failure failure() {
        need(FAILURE_BYTES);
        Failure.Kind kind = coded(FAILURES, in.getInt(), "failure");
        int culprit = in.getInt();
        int missingCount = in.getInt();
        int textLength = in.getInt();
        if (missingCount < 0 || missingCount > FrameCodec.MAX_MISSING || missingCount * 4 > end - in.position()) {
            throw broken(
                    "missing ranks do not fit",
                    "missing=" + missingCount + ", most=" + FrameCodec.MAX_MISSING + ", there="
                            + (end - in.position()));
        }
        List<Integer> missing = new ArrayList<>(missingCount);
        for (int i = 0; i < missingCount; i++) {
            missing.add(in.getInt());
        }
        return new Failure(kind, culprit, text(textLength, FrameCodec.MAX_TEXT_BYTES), missing);
    }

    private Frame wanted() {
        need(WANTED_BYTES);
        long group = in.getLong();
        long number = in.getLong();
        if (number < Frame.Wanted.ANY) {
            throw broken("impossible number", "number=" + number);
        }
        int tag = in.getInt();
        byte parts = parts();
        reserved(in.get());
        String name = text(in.getShort() & 0xffff, FrameCodec.MAX_NAME_BYTES);
        long step = step(parts);
        return isEnclosed(parts)
                ? new Frame.Wanted(group, step, enclosure(0), name, tag, number)
                : new Frame.Wanted(group, step, null, name, tag, number);
    }

    private Frame lost() {
        need(LOST_BYTES);
        int rank = natural(in.getInt(), "rank");
        return new Frame.Lost(rank, text(in.getInt(), FrameCodec.MAX_TEXT_BYTES));
    }

    private Frame cut() {
        need(CUT_BYTES);
        int one = natural(in.getInt(), "one");
        int other = natural(in.getInt(), "other");
        int length = in.getInt();
        reserved(in.getInt());
        return new Frame.Cut(one, other, text(length, FrameCodec.MAX_TEXT_BYTES));
    }

    private Frame query() {
        need(QUERY_BYTES);
        boolean isDispute = flag(in.getInt());
        reserved(in.getInt());
        return new Frame.Query(key(), isDispute);
    }

    private Frame performs() {
        need(PERFORMS_BYTES);
        int length = in.getInt();
        reserved(in.getInt());
        CallKey key = key();
        return new Frame.Performs(key, text(length, FrameCodec.MAX_NAME_BYTES));
    }

    private boolean flag(int value) {
        reserved(value & ~1);
        return value == 1;
    }

    private Frame status() {
        need(STATUS_BYTES);
        Frame.Status.State state = coded(STATES, in.getInt(), "state");
        int issuedLength = in.getInt();
        int latestLength = in.getInt();
        boolean isDispute = flag(in.getInt());
        CallKey key = key();
        String issued = text(issuedLength, FrameCodec.MAX_TEXT_BYTES);
        return new Frame.Status(key, isDispute, state, issued, text(latestLength, FrameCodec.MAX_TEXT_BYTES));
    }

    private long number() {
        need(NUMBER_BYTES);
        return in.getLong();
    }

    private String text(int length, int most) {
        if (length == 0) {
            return "";
        }
        if (length < 0 || length > most) {
            throw broken("text of impossible length", "textBytes=" + length + ", most=" + most);
        }
        need(length);
        int limit = in.limit();
        try {
            return UTF_8.newDecoder().decode(in.limit(in.position() + length)).toString();
        } catch (CharacterCodingException e) {
            throw broken("text is not UTF-8", "textBytes=" + length);
        } finally {
            in.limit(limit);
        }
    }

    private MemorySegment eager(int length) {
        if (length < 0) {
            throw broken("negative length of eager bytes", "eager=" + length);
        }
        need(length);
        MemorySegment bytes = FrameReader.eagerBytes(in, in.position(), length);
        in.position(in.position() + length);
        return bytes;
    }

    private void need(int bytes) {
        if (end - in.position() < bytes) {
            throw broken("cut short", "needs=" + bytes + ", there=" + (end - in.position()));
        }
    }

    private <T> T coded(T[] values, int code, String field) {
        if (code < 0 || code >= values.length) {
            throw broken("unknown " + field, field + "=" + code + ", known=" + values.length);
        }
        return values[code];
    }

    private long natural(long value, String field) {
        if (value < 0) {
            throw broken("negative " + field, field + "=" + value);
        }
        return value;
    }

    private int natural(int value, String field) {
        return (int) natural((long) value, field);
    }

    private void reserved(int value) {
        if (value != 0) {
            throw broken("reserved bytes are not zero", "reserved=" + value);
        }
    }

    private ProtocolException broken(String what, String facts) {
        return new ProtocolException("broken frame, " + what + ": " + facts + ", type=" + type);
    }
}
