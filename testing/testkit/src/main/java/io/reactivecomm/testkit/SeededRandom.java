package io.reactivecomm.testkit;

import java.util.List;
import java.util.SplittableRandom;

/** Seeded choices: the same seed makes the same ones. */
public final class SeededRandom {

    private final SplittableRandom random;

    /** Random numbers, every one of which follows from the seed. */
    public SeededRandom(long seed) {
        this(new SplittableRandom(seed));
    }

    private SeededRandom(SplittableRandom random) {
        this.random = random;
    }

    /** {@return dice of their own, so that what they are thrown for does not shift the choices of these} */
    public SeededRandom split() {
        return new SeededRandom(random.split());
    }

    /** {@return a number from 0 to {@code bound} − 1} */
    public int below(int bound) {
        return random.nextInt(bound);
    }

    /** {@return a number from {@code least} to {@code most}} */
    public long between(long least, long most) {
        return random.nextLong(least, most + 1);
    }

    /** {@return true so often in a hundred times} */
    public boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    /** {@return any int} */
    public int any() {
        return random.nextInt();
    }

    /** {@return one of these} */
    public int oneOf(int... choices) {
        return choices[below(choices.length)];
    }

    /** {@return one of these} */
    public <T> T oneOf(List<T> choices) {
        return choices.get(below(choices.size()));
    }

    /** Puts a list into another order. */
    public <T> void shuffle(List<T> list) {
        for (int last = list.size() - 1; last > 0; last--) {
            int other = below(last + 1);
            T moved = list.set(last, list.get(other));
            list.set(other, moved);
        }
    }
}
