package io.reactivecomm.compression.reduce;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import io.reactivecomm.train.BucketReducer.Bucket;
import java.util.ArrayList;
import java.util.List;

/**
 * The elements of a bucket whose gradients no rank has in a step. Their results come back nowhere, so what earlier steps have lost of them stays as it is. On a rank without inputs what
 * it has lost of its own elements stays, too.
 *
 * @param runs in order, apart from each other
 * @param isFinished whether this rank has no inputs
 */
record AbsentRanges(List<Mask.Run> runs, boolean isFinished) {

    static final AbsentRanges NONE = new AbsentRanges(List.of(), false);

    static AbsentRanges of(Bucket bucket) {
        List<Mask.Run> runs = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < bucket.parameters().size(); i++) {
            long count = bucket.parameters().get(i).count();
            if (!bucket.present().get(i) && count > 0) {
                runs.add(new Mask.Run(at, count));
            }
            at += count;
        }
        return new AbsentRanges(List.copyOf(runs), bucket.isFinished());
    }

    boolean areNone() {
        return runs.isEmpty() && !isFinished;
    }

    /** {@return the moves that keep what this rank has lost of its own elements} */
    List<Move> keepOwn(Tensor before, Tensor after) {
        return isFinished ? List.of(Move.copy(before, after)) : keep(before, after, 0);
    }

    /**
     * {@return the moves that keep these elements}
     *
     * @param first the place in the bucket of the first element of both tensors
     */
    List<Move> keep(Tensor before, Tensor after, long first) {
        List<Move> moves = new ArrayList<>();
        for (Mask.Run run : runs) {
            long from = Math.max(run.at(), first);
            long to = Math.min(run.at() + run.count(), first + before.count());
            if (from < to) {
                moves.add(Move.copy(before.slice(from - first, to - from), after.slice(from - first, to - from)));
            }
        }
        return moves;
    }

    /** {@return whether an element is in them} */
    boolean contains(long element) {
        return runs.stream().anyMatch(run -> run.at() <= element && element < run.at() + run.count());
    }
}
