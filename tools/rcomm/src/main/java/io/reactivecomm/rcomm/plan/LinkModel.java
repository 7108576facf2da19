package io.reactivecomm.rcomm.plan;

/**
 * The α-β model of two ways: between hosts, whose ranks share the way out of each, and within a host, where each rank has its own. A step
 * takes a latency, and bytes take their time on a way, which leads in both directions at once.
 *
 * <p>T = steps · α + bytes / β for either way, + fill steps · piece / β + transfers · o, where bytes and transfers are the greater of what is
 * sent and received. The fill term is that of a chain that is streamed in pieces: its first piece must come by before a rank far down has
 * anything to do. The last is what a rank's loop spends on each transfer; without it a step in which a rank talks to all others costs no
 * more than one in which it talks to one.
 *
 * <p><b>Source.</b> Hockney, «The communication challenge for MPP», 1994 (α and β); Culler and others, «LogP», 1993 (the overhead o);
 * Karonis and others, «Exploiting hierarchy in parallel computer networks to optimize collective operation performance», 2000 (two ways).
 *
 * @param between hosts
 * @param within a host
 * @param messageMicros o
 * @param pieceBytes the pieces of a stream
 */
record LinkModel(Way between, Way within, double messageMicros, long pieceBytes) {

    private static final double BITS_PER_MICRO_AT_ONE_GIGABIT = 1000;

    /**
     * One kind of way.
     *
     * @param latencyMicros α
     * @param gigabitsPerSecond β, in 10⁹ bits a second
     */
    record Way(double latencyMicros, double gigabitsPerSecond) {

        /** @param options the beginning of the options that it comes from */
        private void require(String options) {
            requirePositive(gigabitsPerSecond, "bandwidth", options + "bandwidth-gbps");
            requireNoneNegative(latencyMicros, "latency", options + "latency-us");
        }

        private double micros(double bytes) {
            return bytes * Byte.SIZE / (gigabitsPerSecond * BITS_PER_MICRO_AT_ONE_GIGABIT);
        }
    }

    LinkModel {
        between.require("");
        within.require("host-");
        requirePositive(pieceBytes, "piece", "piece-bytes");
        requireNoneNegative(messageMicros, "time of a message", "message-us");
    }

    private static void requirePositive(double value, String what, String option) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(
                    what + " is not positive: " + option + "=" + value + "; give a number above 0");
        }
    }

    private static void requireNoneNegative(double value, String what, String option) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(what + " is negative: " + option + "=" + value + "; give 0 or more");
        }
    }

    /** {@return the time of one rank's part of a call} */
    double micros(RankCost cost) {
        boolean isOneHost = cost.hosts() == 1;
        int betweenSteps = isOneHost ? 0 : cost.cost().hostSteps();
        double steps =
                betweenSteps * between.latencyMicros + (cost.cost().steps() - betweenSteps) * within.latencyMicros;
        double fill = cost.cost().fillSteps() * (isOneHost ? within : between).micros(cost.fillBytes(pieceBytes));
        long transfers =
                Math.max(cost.cost().sent().transfers(), cost.cost().received().transfers());
        return steps
                + between.micros(cost.hostBytes())
                + within.micros(cost.bytesWithin())
                + fill
                + transfers * messageMicros;
    }
}
