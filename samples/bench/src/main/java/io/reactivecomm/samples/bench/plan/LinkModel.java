package io.reactivecomm.samples.bench.plan;

import io.reactivecomm.internal.schedule.Cost;

/**
 * The α-β model of a link: a step takes a latency, and bytes take their time on the rank's link, which sends and receives at once.
 *
 * <p>T = steps · α + bytes / β + fill steps · piece / β + transfers · o, where bytes and transfers are the greater of what a rank sends and
 * receives. The third term is that of a chain that is streamed in pieces: its first piece must come by before a rank far down has anything
 * to do. The fourth is what a rank's loop spends on each transfer; without it a step in which a rank talks to all others costs no more than
 * one in which it talks to one.
 *
 * <p><b>Source.</b> Hockney, «The communication challenge for MPP», 1994 (α and β); Culler and others, «LogP», 1993 (the overhead o).
 *
 * @param latencyMicros α
 * @param gigabitsPerSecond β, in 10⁹ bits a second
 * @param messageMicros o
 * @param pieceBytes the pieces of a stream
 */
record LinkModel(double latencyMicros, double gigabitsPerSecond, double messageMicros, long pieceBytes) {

    private static final double BITS_PER_MICRO_AT_ONE_GIGABIT = 1000;

    LinkModel {
        requirePositive(gigabitsPerSecond, "bandwidth", "bandwidth-gbps");
        requirePositive(pieceBytes, "piece", "piece-bytes");
        requireNoneNegative(latencyMicros, "latency", "latency-us");
        requireNoneNegative(messageMicros, "time of a message", "message-us");
    }

    private static void requirePositive(double value, String what, String option) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(what + " is not positive: " + option + "=" + value + "; give a number above 0");
        }
    }

    private static void requireNoneNegative(double value, String what, String option) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(what + " is negative: " + option + "=" + value + "; give 0 or more");
        }
    }

    /** {@return the time of one rank's part of a call} */
    double micros(Cost cost, int elementBytes, int partialBytes) {
        boolean sendsMore = cost.sent().bytes(elementBytes, partialBytes) > cost.received().bytes(elementBytes, partialBytes);
        Cost.Volume most = sendsMore ? cost.sent() : cost.received();
        long bytes = most.bytes(elementBytes, partialBytes);
        double piece = Math.min(pieceBytes, bytes / (double) Math.max(1, most.transfers()));
        long transfers = Math.max(cost.sent().transfers(), cost.received().transfers());
        return cost.steps() * latencyMicros + micros(bytes) + cost.fillSteps() * micros(piece) + transfers * messageMicros;
    }

    private double micros(double bytes) {
        return bytes * Byte.SIZE / (gigabitsPerSecond * BITS_PER_MICRO_AT_ONE_GIGABIT);
    }
}
