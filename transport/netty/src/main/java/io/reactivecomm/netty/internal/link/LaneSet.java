package io.reactivecomm.netty.internal.link;

import io.netty.channel.Channel;
import io.reactivecomm.netty.internal.connection.ReceiveSteering;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayList;
import java.util.List;

/**
 * The lanes of a {@link TcpLink}: connections beside its own, which carry the payloads of large tensors side by side.
 *
 * <pre>
 *   frames    [Open][Data 7][Grant][Data 8][Data 9][Goodbye]     in order; headers only
 *   lane 1         [payload of 7 ............][payload of 9 ............]
 *   lane 2         [payload of 8 ............]
 * </pre>
 *
 * <p>The n-th payload of at least {@link #LEAST_BYTES} goes over the lane whose turn it is, in each direction. Both ends count, so nothing
 * on the wire names the lane, and lanes carry nothing else. A link of one lane has none of these: all goes over its own connection.
 *
 * <p><b>Order.</b> Payloads are told of in the order of their headers, whichever is whole first: the pieces of an edge build on each other.
 * Which frames wait for the payloads before them, {@link #mayOvertake} says.
 *
 * <p><b>Threads.</b> The loop.
 */
final class LaneSet {

    /** A smaller payload is there before a second connection's window has opened, and both cost a wake-up. */
    static final int LEAST_BYTES = 64 * 1024;

    private final int count;
    private final List<Lane> lanes = new ArrayList<>();
    private int nextIncoming;
    private int nextOutgoing;

    /** @param count how many there will be */
    LaneSet(int count) {
        this.count = count;
    }

    /** {@return how many connections a link has beside its own where that many lanes are asked for} */
    static int besides(int lanes) {
        return lanes == 1 ? 0 : lanes;
    }

    /** Takes over the next connection. */
    void add(Channel channel, ReceiveSteering steering, Lane.Owner owner) {
        lanes.add(new Lane(lanes.size() + 1, channel, steering, owner));
    }

    /** {@return whether all are there} */
    boolean areWhole() {
        return lanes.size() == count;
    }

    /** {@return whether a payload of that length goes over a lane} */
    boolean carry(long lengthBytes) {
        return count > 0 && lengthBytes >= LEAST_BYTES;
    }

    /**
     * {@return whether a frame may be told of before payloads that were sent before it}
     *
     * <p>Those that may keep bytes flowing: the engine matches them by number, and they are about what is still to come. Of the others some
     * speak of an end, and what was sent before it must be here then; the rest is so rare that waiting costs nothing.
     */
    static boolean mayOvertake(Frame frame) {
        return switch (frame) {
            case Frame.Open _, Frame.Announce _, Frame.Grant _, Frame.Taken _ -> true;
            case Frame.Withdrawn _,
                    Frame.Abort _,
                    Frame.GroupAbort _,
                    Frame.Lost _,
                    Frame.Cut _,
                    Frame.Leave _,
                    Frame.Goodbye _ -> false;
            case Frame.Data _,
                    Frame.Dropped _,
                    Frame.Wanted _,
                    Frame.Query _,
                    Frame.Status _,
                    Frame.Dispute _,
                    Frame.Performs _,
                    Frame.Knock _ -> false;
        };
    }

    /** {@return the lane of the next payload that comes} */
    Lane nextIncoming() {
        Lane lane = lanes.get(nextIncoming);
        nextIncoming = (nextIncoming + 1) % count;
        return lane;
    }

    /** {@return the lane of the next payload that leaves} */
    Lane nextOutgoing() {
        Lane lane = lanes.get(nextOutgoing);
        nextOutgoing = (nextOutgoing + 1) % count;
        return lane;
    }

    void flush() {
        for (int i = 0; i < lanes.size(); i++) {
            lanes.get(i).flush();
        }
    }

    /** Ends all. Idempotent. */
    void close() {
        lanes.forEach(Lane::close);
    }
}
