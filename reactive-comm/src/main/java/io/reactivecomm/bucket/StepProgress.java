package io.reactivecomm.bucket;

import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.bucket.BucketPlan.Slot;
import io.reactivecomm.hook.Gradient;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one step: which gradients are here, which bucket begins next, which results may go. A pure machine.
 *
 * <pre>
 *   arrived(a)  arrived(b)        noMoreCome()
 *        └─────────┴── bucket whole ──┘── next() … began() ── finished(bucket) ──&gt; results, in the order chosen
 * </pre>
 */
final class StepProgress {

    private final BucketPlan plan;
    private final ResultOrder order;
    private final @Nullable Gradient[] gradients;
    /** For each bucket, how many of its gradients are not here. */
    private final int[] awaited;

    private final BitSet finished = new BitSet();
    private boolean ended;
    private int next;
    /** In the order of parameters, the first whose result has not gone. */
    private int nextResult;

    StepProgress(BucketPlan plan, ResultOrder order) {
        this.plan = plan;
        this.order = order;
        this.gradients = new Gradient[plan.places().size()];
        this.awaited = plan.buckets().stream()
                .mapToInt(bucket -> bucket.places().size())
                .toArray();
    }

    BucketPlan plan() {
        return plan;
    }

    /** {@return the gradient that lies there, or null if it has not come} */
    @Nullable Gradient at(Slot place) {
        return gradients[place.index()];
    }

    /** A gradient has come, for the first time. */
    void arrived(Slot place, Gradient gradient) {
        gradients[place.index()] = gradient;
        awaited[place.bucket()]--;
    }

    /** A result takes the place of a gradient that has come. */
    void replace(Slot place, Gradient result) {
        gradients[place.index()] = result;
    }

    /** Those that have not come count as zeros. */
    void noMoreCome() {
        ended = true;
    }

    /** {@return the bucket that is to begin now, or null if that one is not whole or all have begun} */
    @Nullable Bucket next() {
        Bucket bucket = next < awaited.length ? plan.buckets().get(next) : null;
        return bucket != null && isWhole(bucket) ? bucket : null;
    }

    boolean isWhole(Bucket bucket) {
        return ended || awaited[bucket.index()] == 0;
    }

    /** The {@link #next} bucket has begun. */
    void began() {
        next++;
    }

    /** {@return how many buckets have begun} */
    int begunCount() {
        return next;
    }

    /** {@return those gradients of a bucket that came} */
    List<Gradient> in(Bucket bucket) {
        return present(bucket.places());
    }

    private List<Gradient> present(List<Slot> places) {
        List<Gradient> present = new ArrayList<>(places.size());
        for (Slot place : places) {
            Gradient gradient = at(place);
            if (gradient != null) {
                present.add(gradient);
            }
        }
        return present;
    }

    /** A bucket's results are there. {@return all results that may go now} */
    List<Gradient> finished(Bucket bucket) {
        finished.set(bucket.index());
        return switch (order) {
            case COMPLETION -> in(bucket);
            case PARAMETER -> inTurn();
        };
    }

    private List<Gradient> inTurn() {
        int from = nextResult;
        while (nextResult < gradients.length
                && finished.get(plan.places().get(nextResult).bucket())) {
            nextResult++;
        }
        return present(plan.places().subList(from, nextResult));
    }

    /** {@return the results that are there and wait for others, which will not come any more} */
    List<Gradient> heldBack() {
        return switch (order) {
            case COMPLETION -> List.of();
            case PARAMETER ->
                present(plan.places().stream()
                        .skip(nextResult)
                        .filter(place -> finished.get(place.bucket()))
                        .toList());
        };
    }

    /** {@return whether no gradient can come and every bucket is finished} */
    boolean isOver() {
        return ended && finished.cardinality() == awaited.length;
    }
}
