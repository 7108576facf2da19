package io.reactivecomm.testkit.collective;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import org.jspecify.annotations.Nullable;

/**
 * One cell of the matrix, apart from the world's size.
 *
 * @param op the reduction; null where nothing is reduced
 * @param count elements, as the operation's signature counts them
 * @param root the root, for a broadcast or a reduce
 * @param inPlace whether input and output are the same memory, where the operation has both
 */
public record CollectiveCase(
        Kind kind, DType type, @Nullable ReduceOp op, long count, int root, boolean inPlace) {

    /** The collectives that move elements. */
    public enum Kind {
        ALL_REDUCE(true, true),
        REDUCE(true, false),
        REDUCE_SCATTER(true, true),
        BROADCAST(false, false),
        ALL_GATHER(false, true);

        private final boolean reduces;
        private final boolean hasOutput;

        Kind(boolean reduces, boolean hasOutput) {
            this.reduces = reduces;
            this.hasOutput = hasOutput;
        }

        /** {@return whether it combines elements} */
        public boolean reduces() {
            return reduces;
        }

        /** {@return whether its output may be another tensor than its input} */
        public boolean hasOutput() {
            return hasOutput;
        }
    }

    public CollectiveCase {
        if (kind.reduces() == (op == null) || (!kind.hasOutput() && !inPlace)) {
            throw new IllegalArgumentException("no such call: kind=" + kind + ", op=" + op + ", inPlace=" + inPlace);
        }
    }

    /** {@return the reduction of an operation that has one} */
    ReduceOp reduction() {
        ReduceOp present = op;
        if (present == null) {
            throw new IllegalStateException("nothing is reduced: kind=" + kind);
        }
        return present;
    }
}
