package io.reactivecomm.testkit.link;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Frames of every kind, with values that a short field would cut off. */
final class Frames {

    private static final long LARGE = 0x1234_5678_9ABC_DEF0L;

    private static final CallKey TICKET = new CallKey.Ticket(3, LARGE, "layer1.weight", 1L << 40, 7);
    private static final CallKey MESSAGE = new CallKey.Message(1, 5, "", -17, 2, 6, 1L << 33);

    private Frames() {}

    /** {@return at least one of each kind but {@link Frame.Data}, the goodbye last} */
    static List<Frame> ofEachKind() {
        List<Frame> frames = new ArrayList<>();
        frames.add(new Frame.Open(
                TICKET,
                1,
                Frame.Open.UNKNOWN,
                new Signature(Operation.ALL_REDUCE, DType.BFLOAT16, 1L << 35, Signature.NO_ROOT, ReduceOp.AVG),
                LARGE,
                -1,
                77,
                List.of()));
        frames.add(new Frame.Dropped(LARGE));
        frames.add(new Frame.Taken(LARGE));
        frames.add(new Frame.Wanted(9, "größer als ASCII", Integer.MIN_VALUE));
        frames.add(new Frame.Grant(2, 1, 1L << 34, 65_536, LARGE + 1));
        frames.add(new Frame.Withdrawn(LARGE));
        frames.add(new Frame.Abort(MESSAGE, new Failure(Failure.Kind.MISMATCH, 4, "who called what × 5")));
        frames.add(new Frame.GroupAbort(0, new Failure(Failure.Kind.TIMEOUT, 0, "", List.of(1, 2, 300))));
        frames.add(new Frame.Lost(5, "it fell silent"));
        frames.add(new Frame.Cut(1, 4, "they do not hear each other"));
        frames.add(new Frame.Query(TICKET, false));
        for (Frame.Status.State state : Frame.Status.State.values()) {
            frames.add(new Frame.Status(MESSAGE, true, state, "barrier()", ""));
        }
        frames.add(new Frame.Dispute(TICKET));
        frames.add(new Frame.Performs(MESSAGE, "mpi"));
        frames.add(new Frame.Leave(LARGE));
        frames.add(new Frame.Knock());
        frames.add(new Frame.Goodbye());
        return frames;
    }

    /** {@return frames with bytes in them; arrays compare by identity, so these are compared by {@link #eagerBytes}} */
    static List<Frame> withEagerBytes(byte[] bytes) {
        Signature broadcast = new Signature(Operation.BROADCAST, DType.INT8, bytes.length, 2, null);
        Frame.Edge edge = new Frame.Edge(0, bytes.length, MemorySegment.ofArray(bytes));
        return List.of(
                new Frame.Open(TICKET, 8, 9, broadcast, 0, 0, 0, List.of(edge, Frame.Edge.toBeGranted(1, 0))),
                new Frame.Announce(8, edge));
    }

    /** {@return the bytes of the first edge of an open or an announcement} */
    static byte[] eagerBytes(Frame frame) {
        return switch (frame) {
            case Frame.Open open -> bytes(open.edges().getFirst());
            case Frame.Announce announce -> bytes(announce.edge());
            case Frame.Dropped other -> throw none(other);
            case Frame.Taken other -> throw none(other);
            case Frame.Wanted other -> throw none(other);
            case Frame.Grant other -> throw none(other);
            case Frame.Data other -> throw none(other);
            case Frame.Withdrawn other -> throw none(other);
            case Frame.Abort other -> throw none(other);
            case Frame.GroupAbort other -> throw none(other);
            case Frame.Lost other -> throw none(other);
            case Frame.Cut other -> throw none(other);
            case Frame.Query other -> throw none(other);
            case Frame.Status other -> throw none(other);
            case Frame.Dispute other -> throw none(other);
            case Frame.Performs other -> throw none(other);
            case Frame.Leave other -> throw none(other);
            case Frame.Goodbye other -> throw none(other);
            case Frame.Knock other -> throw none(other);
        };
    }

    private static byte[] bytes(Frame.Edge edge) {
        return edge.eager().toArray(ValueLayout.JAVA_BYTE);
    }

    private static AssertionError none(Frame frame) {
        return new AssertionError("no bytes in this frame: " + frame);
    }
}
