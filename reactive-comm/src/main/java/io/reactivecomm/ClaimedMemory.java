package io.reactivecomm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The byte ranges that two or more claims of one memory read and write.
 *
 * <p>One interval tree holds the ranges that are read, and another holds those that are written. Both are ordered by first byte, and each node knows the
 * furthest end below it. A search for an overlapping range therefore takes as many steps as the tree is deep, whatever the lengths of the ranges. Each
 * tree is a treap: pseudo-random priorities balance it, with the highest at the root.
 *
 * <pre>
 *                     [40, 50) reach 90
 *              /                           \
 *   [0, 10) reach 30                 [60, 90) reach 90        a search for [32, 38) skips the left side, whose reach is 30
 *              \
 *         [10, 30) reach 30
 * </pre>
 *
 * <p>It is gone when its last claim has ended. The next claim of the memory then stands in the field of the {@link TensorLife} again.
 *
 * <p><b>Threads.</b> Callers hold its monitor.
 *
 * <p><b>Source.</b> Seidel and Aragon, Randomized Search Trees, 1996; Cormen et al., Introduction to Algorithms, interval trees.
 */
final class ClaimedMemory {

    /** An odd number with evenly spread bits, so that its multiples serve as pseudo-random priorities. */
    private static final int GOLDEN = 0x9E3779B9;

    private final TensorLife life;
    private @Nullable Range read;
    private @Nullable Range written;
    private int added;
    private boolean isGone;
    /** The first range of the claim that is being added; its ranges are in no tree yet. */
    private @Nullable Range next;

    /** A node of the tree: the bytes of a tensor that one claim reads or writes. */
    static final class Range {

        private final TensorClaim claim;
        private final Tensor tensor;
        private final boolean isWrite;
        private final long from;
        private final long to;
        /** Unique in this memory. */
        private final int priority;
        /** The furthest end of this range and the ranges below it. */
        private long reach;

        private @Nullable Range left;
        private @Nullable Range right;
        /** The next range of the same claim, while a claim is added. */
        private @Nullable Range next;

        private Range(TensorClaim claim, Tensor tensor, boolean isWrite, int priority) {
            this.claim = claim;
            this.tensor = tensor;
            this.isWrite = isWrite;
            this.from = tensor.address();
            this.to = from + tensor.byteSize();
            this.priority = priority;
            this.reach = to;
        }

        TensorClaim claim() {
            return claim;
        }

        Tensor tensor() {
            return tensor;
        }

        boolean isWrite() {
            return isWrite;
        }

        private boolean isBefore(Range other) {
            return from < other.from || from == other.from && priority < other.priority;
        }

        /** Splits a tree by this range's position and takes the halves as its two sides. */
        private void divide(@Nullable Range tree) {
            if (tree == null) {
                left = null;
                right = null;
            } else if (tree.isBefore(this)) {
                divide(tree.right);
                tree.right = left;
                left = tree.updated();
            } else {
                divide(tree.left);
                tree.left = right;
                right = tree.updated();
            }
        }

        private Range updated() {
            long furthest = to;
            if (left != null) {
                furthest = Math.max(furthest, left.reach);
            }
            if (right != null) {
                furthest = Math.max(furthest, right.reach);
            }
            reach = furthest;
            return this;
        }
    }

    private ClaimedMemory(TensorLife life) {
        this.life = life;
    }

    /** {@return the claims of a memory that had a single claim so far} */
    static ClaimedMemory of(TensorLife life, TensorClaim only) {
        ClaimedMemory memory = new ClaimedMemory(life);
        memory.collect(only);
        memory.insertAll();
        return memory;
    }

    /** {@return whether the last claim has ended, so that this object is no longer in use} */
    boolean isGone() {
        return isGone;
    }

    /**
     * Adds all ranges of a claim in this memory, unless they were added before.
     *
     * @throws InvalidCallException if another claim conflicts
     */
    void add(TensorClaim claim) {
        if (claim.hasSeveral() && has(claim)) {
            return;
        }
        collect(claim);
        for (Range each = next; each != null; each = each.next) {
            Range met = met(written, each);
            if (met == null && each.isWrite) {
                met = met(read, each);
            }
            if (met != null) {
                next = null;
                throw claim.refusal(each.tensor, each.isWrite, met);
            }
        }
        insertAll();
    }

    private boolean has(TensorClaim claim) {
        return has(written, claim, claim.writes()) || has(read, claim, claim.reads());
    }

    /** The ranges of a claim are added together, so it is enough to look for the first one. */
    private boolean has(@Nullable Range tree, TensorClaim claim, List<Tensor> tensors) {
        for (int i = 0; i < tensors.size(); i++) {
            if (isHere(tensors.get(i))) {
                return find(tree, tensors.get(i).address(), claim) != null;
            }
        }
        return false;
    }

    private boolean isHere(Tensor tensor) {
        return tensor.life() == life && tensor.byteSize() > 0;
    }

    /** {@return the first range of a tree that overlaps a new range and excludes it, or null} */
    private static @Nullable Range met(@Nullable Range tree, Range made) {
        Range here = tree;
        while (here != null && here.reach > made.from) {
            Range before = here.left == null || here.left.reach <= made.from ? null : met(here.left, made);
            if (before != null) {
                return before;
            }
            if (here.from >= made.to) {
                return null;
            }
            if (here.to > made.from && excludes(here, made)) {
                return here;
            }
            here = here.right;
        }
        return null;
    }

    /** Only the common bytes count: a reader may also read bytes that the earlier claim does not write. */
    private static boolean excludes(Range earlier, Range made) {
        return !made.claim.mayShareWith(earlier.claim)
                && (made.isWrite
                        || !earlier.claim.areFinal(Math.max(earlier.from, made.from), Math.min(earlier.to, made.to)));
    }

    /** Makes the ranges that a claim has here. Those that are written come first, so an error names the write of a tensor that is also read. */
    private void collect(TensorClaim claim) {
        collect(claim, claim.reads(), false);
        collect(claim, claim.writes(), true);
    }

    private void collect(TensorClaim claim, List<Tensor> tensors, boolean isWrite) {
        for (int i = tensors.size() - 1; i >= 0; i--) {
            if (isHere(tensors.get(i))) {
                added++;
                Range made = new Range(claim, tensors.get(i), isWrite, added * GOLDEN);
                made.next = next;
                next = made;
            }
        }
    }

    private void insertAll() {
        Range first = next;
        next = null;
        for (Range each = first; each != null; each = each.next) {
            if (each.isWrite) {
                written = insert(written, each);
            } else {
                read = insert(read, each);
            }
        }
    }

    private static Range insert(@Nullable Range tree, Range made) {
        if (tree == null || made.priority > tree.priority) {
            made.divide(tree);
            return made.updated();
        }
        tree.reach = Math.max(tree.reach, made.to);
        if (made.isBefore(tree)) {
            tree.left = insert(tree.left, made);
        } else {
            tree.right = insert(tree.right, made);
        }
        return tree;
    }

    /** Removes all ranges of a claim in this memory, if there are any. {@return whether no range is left} */
    boolean remove(TensorClaim claim) {
        if (claim.hasSeveral() && !has(claim)) {
            return false;
        }
        List<Tensor> writes = claim.writes();
        for (int i = 0; i < writes.size(); i++) {
            written = without(written, writes.get(i), claim);
        }
        List<Tensor> reads = claim.reads();
        for (int i = 0; i < reads.size(); i++) {
            read = without(read, reads.get(i), claim);
        }
        isGone = written == null && read == null;
        return isGone;
    }

    private @Nullable Range without(@Nullable Range tree, Tensor tensor, TensorClaim claim) {
        if (!isHere(tensor)) {
            return tree;
        }
        long from = tensor.address();
        return without(tree, from, from + tensor.byteSize(), claim);
    }

    /** {@return a range of a claim with that first byte, or null} Several claims may have ranges that begin there. */
    private static @Nullable Range find(@Nullable Range tree, long from, TensorClaim claim) {
        Range here = tree;
        while (here != null && !(here.from == from && here.claim == claim)) {
            Range before = here.from == from ? find(here.left, from, claim) : null;
            if (before != null) {
                return before;
            }
            here = from < here.from ? here.left : here.right;
        }
        return here;
    }

    /** {@return a tree without one range of a claim; the same tree if the range is not in it} */
    private static @Nullable Range without(@Nullable Range tree, long from, long to, TensorClaim claim) {
        if (tree == null) {
            return null;
        }
        if (tree.from == from && tree.claim == claim) {
            return merged(tree.left, tree.right);
        }
        if (from < tree.from || from == tree.from && find(tree.left, from, claim) != null) {
            tree.left = without(tree.left, from, to, claim);
        } else {
            tree.right = without(tree.right, from, to, claim);
        }
        return tree.reach == to ? tree.updated() : tree;
    }

    private static @Nullable Range merged(@Nullable Range left, @Nullable Range right) {
        if (left == null) {
            return right;
        }
        if (right == null) {
            return left;
        }
        if (left.priority > right.priority) {
            left.right = merged(left.right, right);
            return left.updated();
        }
        right.left = merged(left, right.left);
        return right.updated();
    }
}
