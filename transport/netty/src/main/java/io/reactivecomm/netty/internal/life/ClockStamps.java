package io.reactivecomm.netty.internal.life;

import io.netty.buffer.ByteBuf;

/**
 * The clock readings on a heartbeat, by which its receiver compares its clock with the sender's as NTP does.
 *
 * <pre>
 *  0 +-------------------------------------------------------------+
 *    |          Sent, by the sender's clock, nanoseconds           |
 *  8 +-------------------------------------------------------------+
 *    |     The receiver's latest beat: sent, by its own clock      |
 * 16 +-------------------------------------------------------------+
 *    |     The receiver's latest beat: came, by the sender's       |
 *    +-------------------------------------------------------------+
 * </pre>
 *
 * <p>Clocks are those of the ranks' loops, of which only differences mean anything. No decision is made of them.
 *
 * @param sent when the beat was sent; 0 if it has no stamps
 * @param echoSent the stamp on the latest beat that has come from the receiver; 0 if none has
 * @param echoCame when that one came
 */
record ClockStamps(long sent, long echoSent, long echoCame) {

    /** Those of a beat without. */
    static final ClockStamps NONE = new ClockStamps(0, 0, 0);

    private static final int BYTES = 3 * Long.BYTES;

    ByteBuf write(ByteBuf into) {
        return into.writeLongLE(sent).writeLongLE(echoSent).writeLongLE(echoCame);
    }

    /** {@return those that stand there, or {@link #NONE} if too few bytes do} */
    static ClockStamps read(ByteBuf from) {
        boolean areThere = from.readableBytes() >= BYTES;
        return new ClockStamps(
                areThere ? from.readLongLE() : 0, areThere ? from.readLongLE() : 0, areThere ? from.readLongLE() : 0);
    }

    /** {@return whether there is a time at which the beat was sent} */
    boolean areThere() {
        return sent != 0;
    }
}
