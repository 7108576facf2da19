package io.reactivecomm.testkit.collective;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Chooses a few cells of a matrix such that any two values which meet in some cell meet in a chosen one.
 *
 * <p>Greedily: first all cells that bring ten new pairs, then those that still bring nine, and so on. The order is shuffled with a fixed
 * seed, so that neighbours, which are alike, are not looked at one after the other.
 */
final class Pairwise {

    private static final int VALUES = 512;
    private static final int PAIRS_OF_A_CELL = 10;

    private Pairwise() {}

    static List<ShapeMatrix.Combination> chosen(List<ShapeMatrix.Combination> all) {
        List<ShapeMatrix.Combination> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, new Random(1));
        List<ShapeMatrix.Combination> chosen = new ArrayList<>();
        BitSet met = new BitSet(VALUES * VALUES);
        for (int least = PAIRS_OF_A_CELL; least > 0; least--) {
            for (ShapeMatrix.Combination cell : shuffled) {
                if (newPairs(cell, met) >= least) {
                    pairs(cell).forEach(met::set);
                    chosen.add(cell);
                }
            }
        }
        return chosen;
    }

    private static int newPairs(ShapeMatrix.Combination cell, BitSet met) {
        int fresh = 0;
        for (int pair : pairs(cell)) {
            fresh += met.get(pair) ? 0 : 1;
        }
        return fresh;
    }

    private static List<Integer> pairs(ShapeMatrix.Combination cell) {
        int[] values = cell.values();
        List<Integer> pairs = new ArrayList<>(PAIRS_OF_A_CELL);
        for (int i = 0; i < values.length; i++) {
            for (int j = i + 1; j < values.length; j++) {
                pairs.add(values[i] * VALUES + values[j]);
            }
        }
        return pairs;
    }
}
