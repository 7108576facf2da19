package io.reactivecomm.testkit.merge;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Methods by whether an allocation meets something else in them that is then read. */
final class Shapes {

    private static final Box SHARED = new Box(0);

    private Shapes() {}

    /** A small object. */
    static final class Box {

        private int content;

        Box(int content) {
            this.content = content;
        }

        int content() {
            return content;
        }
    }

    /** The shapes that are to be seen. */
    static final class Bad {

        private Bad() {}

        static int eitherOfTwo(boolean c) {
            Box one = new Box(1);
            Box other = new Box(2);
            return (c ? one : other).content();
        }

        static int newOrGiven(boolean c, Box given) {
            Box box = c ? new Box(1) : given;
            return box.content;
        }

        static int newOrNull(boolean c) {
            Box box = null;
            if (c) {
                box = new Box(1);
            }
            return box == null ? 0 : box.content();
        }

        static long newInLoop(long[] values) {
            Box last = SHARED;
            for (long value : values) {
                last = new Box(last.content + (int) value);
            }
            return last.content;
        }

        static int inHandler(List<Box> boxes) {
            Box box = new Box(1);
            try {
                box = boxes.getFirst();
                return box.content();
            } catch (RuntimeException e) {
                return box.content;
            }
        }

        static int resultOfOne(boolean c) {
            return made(c).content();
        }

        private static Box made(boolean c) {
            return c ? new Box(1) : SHARED;
        }

        static int resultsOfTwo(boolean c) {
            return (c ? one() : two()).content();
        }

        private static Box one() {
            return new Box(1);
        }

        private static Box two() {
            return new Box(2);
        }
    }

    /** The shapes that are to be let pass. */
    static final class Good {

        private final List<Box> kept = new ArrayList<>();
        private @Nullable Box field;

        int bothBranches(boolean c, Box given) {
            return c ? new Box(1).content() : given.content();
        }

        int oneAllocation(boolean c) {
            return new Box(c ? 1 : 2).content();
        }

        int stored(Box given) {
            field = field == null ? new Box(1) : given;
            return field.content;
        }

        void added(boolean c, Box given) {
            if (c) {
                kept.add(new Box(1));
            } else {
                kept.add(given);
            }
        }

        int array(boolean c, int[] given) {
            int[] all = c ? new int[1] : given;
            return all[0] + (int) (c ? 1L : 2L);
        }

        RuntimeException exception(boolean c, RuntimeException given) {
            RuntimeException thrown = c ? new IllegalStateException() : given;
            thrown.addSuppressed(given);
            return thrown;
        }

        int dead(boolean c) {
            Box box = c ? new Box(1) : SHARED;
            box = SHARED;
            return box.content;
        }
    }
}
