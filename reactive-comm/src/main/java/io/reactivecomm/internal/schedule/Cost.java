package io.reactivecomm.internal.schedule;

/**
 * The cost of a call for one rank, in the numbers of which an algorithm's documentation, its test and {@code rcomm plan} speak.
 *
 * @param steps the longest chain of transfers in the whole call each of which waits for the one before; the same for every rank
 * @param hostSteps of those, the ones that may lead from one host to another where there are several: all of them, unless the algorithm
 *     knows of hosts
 * @param fillSteps of the steps, those in which the rank with most to move only waits for the first piece of a stream to come by
 * @param fillElements elements of such a piece, or 0 for those of a usual one
 * @param fillStreams how many streams share a host's way, a piece of each of which moves in each of these
 * @param sent what the rank sends
 * @param received what the rank receives
 * @param scratch elements of {@link Buffer#SCRATCH}
 */
public record Cost(
        int steps,
        int hostSteps,
        int fillSteps,
        long fillElements,
        int fillStreams,
        Volume sent,
        Volume received,
        long scratch) {

    /**
     * An amount that crosses links.
     *
     * @param transfers how many transfers it is
     * @param elements elements of the type
     * @param partials accumulator elements
     */
    public record Volume(long transfers, long elements, long partials) {

        public static final Volume NONE = new Volume(0, 0, 0);

        /** Transfers that carry elements of the type. */
        public static Volume of(long transfers, long elements) {
            return new Volume(transfers, elements, 0);
        }

        /** One transfer, of partial results or of elements. */
        public static Volume ofOne(long count, boolean isPartial) {
            return new Volume(1, isPartial ? 0 : count, isPartial ? count : 0);
        }

        public Volume plus(Volume other) {
            return new Volume(transfers + other.transfers, elements + other.elements, partials + other.partials);
        }

        /** {@return the bytes} */
        public long bytes(int elementBytes, int partialBytes) {
            return elements * elementBytes + partials * partialBytes;
        }
    }

    /** A sum of amounts that is still being added up. */
    public static final class Sum {

        private long transfers;
        private long elements;
        private long partials;

        public void add(Volume more) {
            transfers += more.transfers;
            elements += more.elements;
            partials += more.partials;
        }

        public Volume total() {
            return new Volume(transfers, elements, partials);
        }
    }

    /** {@return the ceiling of the binary logarithm} */
    public static int log2Up(int size) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
    }

    /** {@return the floor of the binary logarithm} */
    public static int log2Down(int size) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(size);
    }

    public static Cost of(int steps, Volume sent, Volume received) {
        return new Cost(steps, steps, 0, 0, 1, sent, received, 0);
    }

    public Cost withHostSteps(int number) {
        return new Cost(steps, number, fillSteps, fillElements, fillStreams, sent, received, scratch);
    }

    public Cost withScratch(long elements) {
        return new Cost(steps, hostSteps, fillSteps, fillElements, fillStreams, sent, received, elements);
    }

    public Cost withFillSteps(int number) {
        return withFillSteps(number, 0, 1);
    }

    public Cost withFillSteps(int number, long elements, int streams) {
        return new Cost(steps, hostSteps, number, elements, streams, sent, received, scratch);
    }
}
