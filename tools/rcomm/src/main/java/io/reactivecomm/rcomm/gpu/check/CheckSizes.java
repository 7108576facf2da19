package io.reactivecomm.rcomm.gpu.check;

/**
 * The amount of work of a check.
 *
 * @param pairs how many messages to self a group has
 * @param pairBytes the length of one, a multiple of four
 * @param warmUps how often messages go before: a call of NCCL's is fully compiled after some hundred thousand
 * @param rounds how often each thing is measured; the median counts
 * @param copyBytes the length of the copies that are to overlap with a kernel
 */
public record CheckSizes(int pairs, int pairBytes, int warmUps, int rounds, int copyBytes) {

    /** A thousand messages, as small as a layer's bias; copies that take a GPU a millisecond or more; some ten seconds in all. */
    public static final CheckSizes USUAL = new CheckSizes(1000, 1024, 200, 21, 64 << 20);

    /** Refuses what cannot be measured. */
    public CheckSizes {
        if (pairs < 1
                || warmUps < 0
                || rounds < 1
                || pairBytes < Integer.BYTES
                || pairBytes % Integer.BYTES != 0
                || copyBytes < Integer.BYTES) {
            throw new IllegalArgumentException("sizes of a check are out of range: pairs=" + pairs + ", pairBytes="
                    + pairBytes + ", warmUps=" + warmUps + ", rounds=" + rounds + ", copyBytes=" + copyBytes
                    + "; take one at least, and messages of whole words");
        }
    }
}
