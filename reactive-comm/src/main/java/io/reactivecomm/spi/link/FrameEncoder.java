package io.reactivecomm.spi.link;

import static io.reactivecomm.spi.link.FrameLayout.*;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes frames in {@link FrameLayout}'s order. */
final class FrameEncoder {

    /** A UTF-16 unit becomes at most three bytes of UTF-8. */
    private static final int MAX_UTF8 = 3;

    private static final byte[] NOTHING = new byte[0];

    private FrameEncoder() {}

    static int lengthBound(Frame frame) {
        int body = switch (frame) {
            case Frame.Data _, Frame.Withdrawn _, Frame.Dropped _, Frame.Taken _ -> NUMBER_BYTES;
            case Frame.Grant _ -> GRANT_BYTES;
            case Frame.Open open ->
                OPEN_BYTES + bound(open.key()) + reductionBound(open.signature()) + bound(open.edges());
            case Frame.Announce announce -> NUMBER_BYTES + EDGE_BYTES + eagerBytes(announce.edge());
            case Frame.Wanted wanted -> WANTED_BYTES + STEP_BYTES + bound(wanted.name()) + bound(wanted.enclosure());
            case Frame.Abort abort -> bound(abort.key()) + bound(abort.failure());
            case Frame.GroupAbort abort -> NUMBER_BYTES + bound(abort.failure());
            case Frame.Lost lost -> LOST_BYTES + bound(lost.cause());
            case Frame.Cut cut -> CUT_BYTES + bound(cut.cause());
            case Frame.Query query -> QUERY_BYTES + bound(query.key());
            case Frame.Dispute dispute -> bound(dispute.key());
            case Frame.Performs performs -> PERFORMS_BYTES + bound(performs.key()) + bound(performs.engine());
            case Frame.Status status ->
                STATUS_BYTES + bound(status.key()) + bound(status.issued()) + bound(status.latest());
            case Frame.Leave _ -> NUMBER_BYTES;
            case Frame.Goodbye _ -> 0;
            case Frame.Knock _ -> 0;
        };
        return HEADER_BYTES + body;
    }

    private static int bound(String text) {
        return Math.min(text.length(), FrameCodec.MAX_TEXT_BYTES) * MAX_UTF8;
    }

    private static int bound(CallKey key) {
        return KEY_BYTES + STEP_BYTES + bound(key.name()) + bound(key.enclosure());
    }

    private static int bound(@Nullable Enclosure enclosure) {
        return enclosure == null ? 0 : ENCLOSURE_BYTES + bound(enclosure.run());
    }

    private static int bound(Failure failure) {
        return FAILURE_BYTES + 4 * Math.min(failure.missing().size(), FrameCodec.MAX_MISSING) + bound(failure.text());
    }

    private static int bound(List<Frame.Edge> edges) {
        long bytes = 0;
        for (Frame.Edge edge : edges) {
            bytes += EDGE_BYTES + edge.eager().byteSize();
        }
        if (bytes > FrameCodec.MAX_CONTROL_BYTES) {
            throw new IllegalArgumentException(
                    "frame is too long: edges=" + edges.size() + ", bytes=" + bytes + "; grant large edges instead");
        }
        return (int) bytes;
    }

    static void encode(Frame frame, ByteBuffer into) {
        into.order(ByteOrder.LITTLE_ENDIAN);
        int start = into.position();
        into.putInt(0).putInt(typeOf(frame));
        putBody(frame, into);
        long length = into.position() - start;
        if (frame instanceof Frame.Data data) {
            length += data.payload().byteSize();
        }
        if (length > (frame instanceof Frame.Data ? Integer.MAX_VALUE : FrameCodec.MAX_CONTROL_BYTES)) {
            into.position(start);
            throw new IllegalArgumentException("frame is too long: type=" + typeOf(frame) + ", bytes=" + length);
        }
        into.putInt(start, (int) length);
    }

    private static byte typeOf(Frame frame) {
        return switch (frame) {
            case Frame.Data _ -> DATA;
            case Frame.Withdrawn _ -> WITHDRAWN;
            case Frame.Dropped _ -> DROPPED;
            case Frame.Taken _ -> TAKEN;
            case Frame.Grant _ -> GRANT;
            case Frame.Open _ -> OPEN;
            case Frame.Announce _ -> ANNOUNCE;
            case Frame.Wanted _ -> WANTED;
            case Frame.Abort _ -> ABORT;
            case Frame.GroupAbort _ -> GROUP_ABORT;
            case Frame.Lost _ -> LOST;
            case Frame.Cut _ -> CUT;
            case Frame.Query _ -> QUERY;
            case Frame.Status _ -> STATUS;
            case Frame.Dispute _ -> DISPUTE;
            case Frame.Performs _ -> PERFORMS;
            case Frame.Leave _ -> LEAVE;
            case Frame.Goodbye _ -> GOODBYE;
            case Frame.Knock _ -> KNOCK;
        };
    }

    private static void putBody(Frame frame, ByteBuffer into) {
        switch (frame) {
            case Frame.Data data -> into.putLong(data.grant());
            case Frame.Withdrawn withdrawn -> into.putLong(withdrawn.grant());
            case Frame.Dropped dropped -> into.putLong(dropped.call());
            case Frame.Taken taken -> into.putLong(taken.bytes());
            case Frame.Grant grant ->
                into.putLong(grant.call())
                        .putLong(grant.grant())
                        .putLong(grant.from())
                        .putInt(grant.edge())
                        .putInt(grant.count());
            case Frame.Open open -> putOpen(open, into);
            case Frame.Announce announce -> putEdge(announce.edge(), into.putLong(announce.call()));
            case Frame.Wanted wanted -> putWanted(wanted, into);
            case Frame.Abort abort -> putFailure(abort.failure(), putKey(abort.key(), into));
            case Frame.GroupAbort abort -> putFailure(abort.failure(), into.putLong(abort.group()));
            case Frame.Lost lost -> {
                byte[] cause = text(lost.cause());
                into.putInt(lost.rank()).putInt(cause.length).put(cause);
            }
            case Frame.Cut cut -> {
                byte[] cause = text(cut.cause());
                into.putInt(cut.one())
                        .putInt(cut.other())
                        .putInt(cause.length)
                        .putInt(0)
                        .put(cause);
            }
            case Frame.Query query ->
                putKey(query.key(), into.putInt(query.isDispute() ? 1 : 0).putInt(0));
            case Frame.Dispute dispute -> putKey(dispute.key(), into);
            case Frame.Performs performs -> {
                byte[] engine = name(performs.engine());
                putKey(performs.key(), into.putInt(engine.length).putInt(0)).put(engine);
            }
            case Frame.Status status -> putStatus(status, into);
            case Frame.Leave leave -> into.putLong(leave.group());
            case Frame.Goodbye _ -> {}
            case Frame.Knock _ -> {}
        }
    }

    private static void putOpen(Frame.Open open, ByteBuffer into) {
        into.putLong(open.call())
                .putLong(open.peerCall())
                .putLong(open.outgoing())
                .putLong(open.incoming())
                .putLong(open.site());
        Signature signature = open.signature();
        into.put((byte) signature.operation().ordinal());
        into.put((byte) signature.type().wireCode());
        byte[] reduction = reduction(signature);
        into.put((byte) reduction.length);
        into.put((byte) 0);
        into.putInt(signature.root()).putLong(signature.count()).putLong(signature.partition());
        into.putInt(open.edges().size()).putInt(0);
        putKey(open.key(), into).put(reduction);
        for (Frame.Edge edge : open.edges()) {
            putEdge(edge, into);
        }
    }

    private static int reductionBound(Signature signature) {
        String reduction = signature.reduction();
        return reduction == null ? 0 : bound(reduction);
    }

    /** {@return the reduction's label in UTF-8; no reduction has an empty one} */
    private static byte[] reduction(Signature signature) {
        String reduction = signature.reduction();
        byte[] bytes = reduction == null ? NOTHING : reduction.getBytes(UTF_8);
        if (bytes.length > FrameCodec.MAX_REDUCTION_BYTES) {
            throw new IllegalArgumentException("name of a reduction is too long: bytes=" + bytes.length
                    + "; use at most " + FrameCodec.MAX_REDUCTION_BYTES + " bytes of UTF-8");
        }
        return bytes;
    }

    private static void putEdge(Frame.Edge edge, ByteBuffer into) {
        into.putLong(edge.ready()).putInt(edge.edge()).putInt(eagerBytes(edge));
        putBytes(edge.eager(), into);
    }

    private static int eagerBytes(Frame.Edge edge) {
        return Math.toIntExact(edge.eager().byteSize());
    }

    static void putBytes(MemorySegment bytes, ByteBuffer into) {
        MemorySegment.copy(bytes, 0, MemorySegment.ofBuffer(into), 0, bytes.byteSize());
        MappedPages.hearOfThem(bytes, bytes);
        into.position(into.position() + (int) bytes.byteSize());
    }

    private static ByteBuffer putKey(CallKey key, ByteBuffer into) {
        byte[] name = name(key.name());
        Enclosure enclosure = key.enclosure();
        into.put(key instanceof CallKey.Ticket ? TICKET : MESSAGE)
                .put(parts(key.step(), enclosure))
                .putShort((short) name.length);
        into.putInt(key.generation()).putLong(key.group());
        switch (key) {
            case CallKey.Ticket ticket ->
                into.putLong(ticket.ticket()).putInt(ticket.ordinal()).putInt(0).putInt(0);
            case CallKey.Message message ->
                into.putLong(message.number())
                        .putInt(message.tag())
                        .putInt(message.source())
                        .putInt(message.destination());
        }
        into.putInt(0).put(name);
        putStep(key.step(), into);
        return putEnclosure(enclosure, into);
    }

    /** {@return which parts follow a name} */
    private static byte parts(long step, @Nullable Enclosure enclosure) {
        return (byte) ((step == CallKey.NO_STEP ? 0 : STEPPED) | (enclosure == null ? 0 : ENCLOSED));
    }

    private static void putStep(long step, ByteBuffer into) {
        if (step != CallKey.NO_STEP) {
            into.putLong(step);
        }
    }

    private static ByteBuffer putEnclosure(@Nullable Enclosure enclosure, ByteBuffer into) {
        return enclosure == null ? into : putKey(enclosure.run(), into.putLong(enclosure.operation()));
    }

    private static void putWanted(Frame.Wanted wanted, ByteBuffer into) {
        byte[] name = name(wanted.name());
        into.putLong(wanted.group()).putLong(wanted.number()).putInt(wanted.tag());
        into.put(parts(wanted.step(), wanted.enclosure()))
                .put((byte) 0)
                .putShort((short) name.length)
                .put(name);
        putStep(wanted.step(), into);
        putEnclosure(wanted.enclosure(), into);
    }

    private static void putFailure(Failure failure, ByteBuffer into) {
        int missing = Math.min(failure.missing().size(), FrameCodec.MAX_MISSING);
        byte[] text = text(failure.text());
        into.putInt(failure.kind().ordinal())
                .putInt(failure.culprit())
                .putInt(missing)
                .putInt(text.length);
        for (int i = 0; i < missing; i++) {
            into.putInt(failure.missing().get(i));
        }
        into.put(text);
    }

    private static void putStatus(Frame.Status status, ByteBuffer into) {
        byte[] issued = text(status.issued());
        byte[] latest = text(status.latest());
        into.putInt(status.state().ordinal())
                .putInt(issued.length)
                .putInt(latest.length)
                .putInt(status.isDispute() ? 1 : 0);
        putKey(status.key(), into).put(issued).put(latest);
    }

    private static byte[] name(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        if (bytes.length > FrameCodec.MAX_NAME_BYTES) {
            throw new IllegalArgumentException("name is too long: bytes=" + bytes.length + "; use at most "
                    + FrameCodec.MAX_NAME_BYTES + " bytes of UTF-8");
        }
        return bytes;
    }

    /** Cuts a long text between two characters: it is for people, and the end of it is worth least. */
    private static byte[] text(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        if (bytes.length <= FrameCodec.MAX_TEXT_BYTES) {
            return bytes;
        }
        int end = FrameCodec.MAX_TEXT_BYTES;
        while ((bytes[end] & 0xc0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }
}
