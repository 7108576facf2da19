package io.reactivecomm.samples.programs.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The batches of an epoch: all images once, in an order that follows from the seed alone and is so the same on all ranks. */
public final class Batches {

    private Batches() {}

    /** {@return the places of the images, batch by batch; the last batch may be smaller} */
    public static List<int[]> of(int images, int batch, long seed) {
        int[] order = shuffled(images, seed);
        List<int[]> batches = new ArrayList<>();
        for (int from = 0; from < images; from += batch) {
            batches.add(Arrays.copyOfRange(order, from, Math.min(images, from + batch)));
        }
        return batches;
    }

    /** Fisher and Yates's shuffle. */
    private static int[] shuffled(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] order = IntStream.range(0, count).toArray();
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int moved = order[i];
            order[i] = order[other];
            order[other] = moved;
        }
        return order;
    }
}
