package io.reactivecomm.simulator;

import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.UnaryOperator;

/**
 * Eager bytes as a link between processes has them. The sender's are copied when they are written, the receiver's lie in a buffer that is
 * gone as soon as the frame has been taken in.
 */
final class PassingBytes implements AutoCloseable {

    private final Arena arena = Arena.ofConfined();

    /** {@return the frame as it is on its way, whatever becomes of the sender's memory} */
    static Frame copied(Frame frame) {
        return withBytes(frame, bytes -> MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE)));
    }

    /** {@return the frame as a receiver gets it, good until this is closed} */
    Frame through(Frame frame) {
        return withBytes(
                frame, bytes -> arena.allocate(bytes.byteSize(), Long.BYTES).copyFrom(bytes));
    }

    private static Frame withBytes(Frame frame, UnaryOperator<MemorySegment> place) {
        return switch (frame) {
            case Frame.Open open ->
                new Frame.Open(
                        open.key(),
                        open.call(),
                        open.peerCall(),
                        open.signature(),
                        open.outgoing(),
                        open.incoming(),
                        open.site(),
                        open.edges().stream()
                                .map(edge -> withBytes(edge, place))
                                .toList());
            case Frame.Announce announce -> new Frame.Announce(announce.call(), withBytes(announce.edge(), place));
            default -> frame;
        };
    }

    private static Frame.Edge withBytes(Frame.Edge edge, UnaryOperator<MemorySegment> place) {
        return edge.isEager() ? new Frame.Edge(edge.edge(), edge.ready(), place.apply(edge.eager())) : edge;
    }

    /** A reader that has kept the bytes fails from here on: they are gone. */
    @Override
    public void close() {
        arena.close();
    }
}
