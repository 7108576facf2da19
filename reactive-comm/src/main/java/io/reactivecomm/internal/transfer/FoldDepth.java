package io.reactivecomm.internal.transfer;

/**
 * The depth of a fold: how many of its pieces may be under way.
 *
 * <p>Operands that are read in place come as soon as they are asked for. Of those that are copied, there are as many pieces under way as the longest
 * way holds, since all others wait for that one; but never fewer than usual, and more only while half of the memory for them, of all folds
 * together, is free: a call that is more urgent finds some.
 */
final class FoldDepth {

    private FoldDepth() {}

    /**
     * {@return how many pieces may be under way}
     *
     * @param underWay how many are
     * @param pieceBytes what a piece of each operand has
     * @param freeBytes memory that deep folds may still take
     */
    static int most(FoldInputs inputs, int underWay, long pieceBytes, long freeBytes) {
        if (inputs.count() == 0) {
            return Integer.MAX_VALUE;
        }
        long room = underWay + freeBytes / (Staging.heldBytes(pieceBytes) * inputs.count());
        return (int) Math.max(usual(inputs), Math.min(longestBytes(inputs) / pieceBytes, room));
    }

    private static int usual(FoldInputs inputs) {
        int usual = Integer.MAX_VALUE;
        for (int i = 0; i < inputs.count(); i++) {
            usual = Math.min(usual, inputs.get(i).edges().path().flow().foldDepth());
        }
        return usual;
    }

    private static long longestBytes(FoldInputs inputs) {
        long longest = 0;
        for (int i = 0; i < inputs.count(); i++) {
            Path path = inputs.get(i).edges().path();
            longest = Math.max(longest, path.link().lends() ? 0 : path.windowBytes(Window.USUAL));
        }
        return longest;
    }
}
