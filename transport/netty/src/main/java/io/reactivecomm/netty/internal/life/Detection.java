package io.reactivecomm.netty.internal.life;

import java.util.BitSet;
import java.util.List;

/** A finding of a {@link FailureDetector}, and its sentence for logs and errors. */
sealed interface Detection {

    /** A peer has been silent for a while; nothing is decided. */
    record Silent(int peer, long nanos) implements Detection {}

    /**
     * A rank, maybe this one, is cut off from the majority.
     *
     * @param from ranks that it and they do not hear each other, as far as this rank knows
     * @param reporter who found it: this rank, or one that says so
     * @param of ranks of the world
     */
    record Lost(int rank, List<Integer> from, int reporter, int of) implements Detection {

        /** {@return the cause, for all ranks but the lost one} */
        String cause(HeartbeatTerms terms) {
            String silent = "silent for more than " + terms.limit();
            return 2 * from.size() > of
                    ? silent + ": it and ranks " + from + ", a majority of " + of
                            + ", do not hear each other; it is stopped, unreachable or out of time"
                    : silent + ": a majority of " + of + " ranks does not hear it, says rank " + reporter
                            + "; it is stopped, unreachable or out of time";
        }

        /** {@return the cause, where this rank itself is the lost one} */
        String ownCause(HeartbeatTerms terms) {
            return "it and ranks " + from + ", a majority of " + of + ", have not heard each other for more than "
                    + terms.limit() + "; they go on without it: this rank was stopped, unreachable or out of time";
        }
    }

    /**
     * This rank and a peer do not hear each other, and no majority tells which of them is cut off.
     *
     * @param left ranks that have left in good order, and so are nobody's witnesses
     * @param lost ranks that were lost before
     * @param of ranks of the world, those among them
     */
    record Cut(int rank, int peer, List<Integer> left, List<Integer> lost, int of) implements Detection {

        /**
         * {@return a cut of two ranks}
         *
         * @param there all that neither have left nor were lost before. Of the same incident some may be lost already, which one end knows
         *     before the other, and both ends are to have the same words
         */
        static Cut of(int rank, int peer, BitSet left, BitSet there, int of) {
            BitSet lost = new BitSet();
            lost.set(0, of);
            lost.andNot(there);
            lost.andNot(left);
            return new Cut(
                    rank,
                    peer,
                    left.stream().boxed().toList(),
                    lost.stream().boxed().toList(),
                    of);
        }

        /** {@return the cause, in words that are the same at both ends} */
        String cause(HeartbeatTerms terms) {
            return "rank " + Math.min(rank, peer) + " and rank " + Math.max(rank, peer)
                    + " have not heard each other for more than " + terms.limit() + ", and no majority of " + electors()
                    + " can tell which side is at fault: either may be stopped or unreachable";
        }

        private String electors() {
            String gone =
                    (left.isEmpty() ? "" : ", left in good order=" + left) + (lost.isEmpty() ? "" : ", lost=" + lost);
            return gone.isEmpty() ? "ranks" : "the world's " + of + " ranks (" + gone.substring(2) + ")";
        }
    }
}
