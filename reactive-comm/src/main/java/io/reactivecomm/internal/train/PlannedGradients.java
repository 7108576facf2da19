package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.Gradient;
import org.jspecify.annotations.Nullable;

/**
 * The gradients of one step of buckets, from when it has a plan: the place of each, and the memory of those that this rank lacks.
 *
 * <p><b>Threads.</b> One at a time: events of the step, and parts of a flight, each of which reads its own gradients only.
 */
final class PlannedGradients {

    final BucketPlan plan;
    final BucketProgress progress;
    private final Buckets buckets;
    /** Those that were there when the step got its plan. */
    private final BucketMemory.@Nullable Homes homes;
    /** For each parameter. */
    private final @Nullable Arrival[] arrivals;

    PlannedGradients(BucketPlan plan, Buckets buckets) {
        this.plan = plan;
        this.buckets = buckets;
        this.homes = buckets.memory.homes();
        this.arrivals = new Arrival[plan.places().size()];
        this.progress = new BucketProgress(
                plan.indices,
                switch (buckets.options.order()) {
                    case PARAMETER -> true;
                    case COMPLETION -> false;
                });
    }

    /** Takes a gradient. @throws InvalidCallException if the plan has no such gradient */
    void add(Arrival arrival) {
        Gradient gradient = arrival.gradient;
        Place place = place(gradient);
        if (!place.fits(gradient)) {
            throw refusal(
                    gradient,
                    "is not what was registered",
                    "hand over " + place.parameter() + ", or register what comes");
        }
        if (homes != null && homes.isMisplaced(place, gradient.tensor())) {
            throw refusal(
                    gradient,
                    "is in the home of another one",
                    "hand over the tensor that allocate() gave for it, or another one of the program's");
        }
        if (!progress.settle(place.index(), BucketProgress.Slot.HERE)) {
            throw refusal(
                    gradient,
                    "came twice, or although this rank had said that it would not",
                    "let hooks give each name once, and say only of gradients that no hook gives that they are absent");
        }
        arrivals[place.index()] = arrival;
    }

    /** This rank will not produce a gradient. @param isKept whether its home is summed as it stands */
    void absent(String name, boolean isKept) {
        progress.settle(
                place(Gradient.absent(name)).index(),
                isKept && homes != null ? BucketProgress.Slot.KEPT : BucketProgress.Slot.ABSENT);
    }

    private Place place(Gradient gradient) {
        Place place = plan.place(gradient.name());
        if (place == null) {
            throw refusal(
                    gradient,
                    "is not registered",
                    "make new buckets with all parameters that have gradients now, and register them on all ranks between the same steps");
        }
        return place;
    }

    private InvalidCallException refusal(Gradient gradient, String why, String remedy) {
        return new InvalidCallException("a gradient " + why + ": name=" + gradient.name() + ", kind=" + gradient.kind()
                + ", tensor=" + gradient.tensor() + ", rank=" + buckets.group.globalRank(buckets.group.rank()) + "; "
                + remedy);
    }

    /** {@return the arrival of a parameter's gradient, or null} */
    @Nullable Arrival arrival(int parameter) {
        return arrivals[parameter];
    }

    /** {@return the gradient that this rank has for a parameter, or null} */
    @Nullable Gradient at(int parameter) {
        Arrival arrival = arrivals[parameter];
        return arrival == null ? null : arrival.gradient;
    }

    /** {@return whether a parameter's home is summed as it stands} */
    boolean isKept(int parameter) {
        return progress.slot(parameter) == BucketProgress.Slot.KEPT;
    }

    /** {@return the memory in which all gradients of a bucket have their homes, or null} */
    @Nullable Tensor homes(Bucket bucket) {
        return homes == null ? null : homes.buckets().get(bucket.index());
    }

    /** {@return the tensor in which a gradient comes back that this rank does not have} */
    Tensor lacking(Place place) {
        return homes == null
                ? buckets.memory.result(place.parameter())
                : homes.gradients().get(place.index()).tensor();
    }
}
