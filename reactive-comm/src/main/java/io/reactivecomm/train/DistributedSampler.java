package io.reactivecomm.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import java.util.Objects;

/**
 * The samples that each rank takes in each epoch: one permutation of all samples, the same on all ranks, dealt out in turn.
 *
 * <pre>{@code
 * DistributedSampler sampler = new DistributedSampler(images.size(), world, seed);
 * for (int epoch = 0; epoch < epochs; epoch++) {
 *     for (int sample : sampler.samples(epoch)) { … }
 * }
 * }</pre>
 *
 * <p>All ranks take equally many samples, so they make equally many steps. If the number of ranks does not divide that of samples, the permutation is either padded with samples from its beginning,
 * or cut ({@link #withDropLast}). Ten samples on four ranks, where p is the permutation:
 *
 * <pre>
 *            padded                   cut
 *   rank 0   p0 p4 p8                 p0 p4
 *   rank 1   p1 p5 p9                 p1 p5
 *   rank 2   p2 p6 p0                 p2 p6
 *   rank 3   p3 p7 p1                 p3 p7
 * </pre>
 *
 * <p>Padding, cutting and dealing are those of torch's {@code DistributedSampler}; permutations are not, since its generator is torch's own.
 *
 * <p><b>Source.</b> SplitMix64 of Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014; the shuffle of Fisher and Yates.
 *
 * @param size the number of samples
 * @param rank that takes the samples
 * @param ranks the number of ranks
 * @param seed of the permutations; the same on all ranks
 * @param isShuffled whether samples are permuted, differently in each epoch
 * @param dropsLast whether samples that the ranks cannot share evenly are left out; otherwise some samples come twice
 */
public record DistributedSampler(int size, int rank, int ranks, long seed, boolean isShuffled, boolean dropsLast) {

    private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

    public DistributedSampler {
        if (size <= 0 || ranks <= 0 || rank < 0 || rank >= ranks) {
            throw new InvalidCallException("samples cannot be shared so: size=" + size + ", rank=" + rank + ", ranks="
                    + ranks + "; give at least one sample, and a rank below the number of ranks");
        }
        if (((long) size + ranks - 1) / ranks * ranks > Integer.MAX_VALUE) {
            throw new InvalidCallException("so many samples cannot be padded: size=" + size + ", ranks=" + ranks
                    + "; share groups of samples");
        }
    }

    /** Shuffled samples, padded where the ranks of the group cannot share them evenly. */
    public DistributedSampler(int size, ProcessGroup group, long seed) {
        this(
                size,
                Objects.requireNonNull(group, "samples have no group that shares them")
                        .rank(),
                group.size(),
                seed,
                true,
                false);
    }

    public DistributedSampler withShuffle(boolean value) {
        return new DistributedSampler(size, rank, ranks, seed, value, dropsLast);
    }

    public DistributedSampler withDropLast(boolean value) {
        return new DistributedSampler(size, rank, ranks, seed, isShuffled, value);
    }

    /** {@return the number of samples of each rank in each epoch} */
    public int count() {
        return dropsLast ? size / ranks : (int) (((long) size + ranks - 1) / ranks);
    }

    /** {@return the numbers of this rank's samples, from 0, in their order} @param epoch any number, the same on all ranks */
    public int[] samples(long epoch) {
        int[] permutation = permutation(epoch);
        int[] samples = new int[count()];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = permutation[(int) ((rank + (long) i * ranks) % size)];
        }
        return samples;
    }

    private int[] permutation(long epoch) {
        int[] permutation = new int[size];
        // Epochs of one seed must not share a sequence with neighbouring seeds.
        long state = mixed(seed) + mixed(epoch + GOLDEN_GAMMA);
        for (int i = 0; i < size; i++) {
            permutation[i] = i;
            if (isShuffled) {
                state += GOLDEN_GAMMA;
                int other = (int) Math.unsignedMultiplyHigh(mixed(state), i + 1L);
                permutation[i] = permutation[other];
                permutation[other] = i;
            }
        }
        return permutation;
    }

    private static long mixed(long state) {
        long mixed = (state ^ (state >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return mixed ^ (mixed >>> 31);
    }
}
