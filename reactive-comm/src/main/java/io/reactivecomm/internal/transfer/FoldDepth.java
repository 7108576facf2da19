package io.reactivecomm.internal.transfer;

/**
 * The depth of a fold: how many of its pieces may be under way.
 *
 * <p>Of what is copied there are as many as the longest way holds, since all other operands wait for that one; but never fewer than usual, and more
 * only while half of the memory for them, of all folds together, is free: a call that is more urgent finds some.
 */
final class FoldDepth {

    private FoldDepth() {}

    /**
     * {@return how many pieces may be under way}
     *
     * @param usual how many where no way is long
     * @param longestWayBytes what the longest way of an operand holds
     * @param pieceBytes what a piece of an operand has
     * @param room for how many there is memory, with those that are under way
     */
    static int most(int usual, long longestWayBytes, long pieceBytes, long room) {
        return (int) Math.max(usual, Math.min(longestWayBytes / pieceBytes, room));
    }
}
