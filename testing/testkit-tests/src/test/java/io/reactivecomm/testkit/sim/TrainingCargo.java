package io.reactivecomm.testkit.sim;

import io.reactivecomm.bucket.BucketOptions;
import io.reactivecomm.bucket.DrivenBuckets.Cargo;
import io.reactivecomm.bucket.DrivenBuckets.Stowed;
import io.reactivecomm.bucket.Parameter;
import java.util.ArrayList;
import java.util.List;

/** The rules that hold of any plan of buckets, whatever it was made from. */
final class TrainingCargo {

    private TrainingCargo() {}

    /** Requires that a rank's plan is another rank's, has each gradient once, side by side, and keeps to the limits. */
    static void check(List<Cargo> cargo, List<Cargo> others, TrainingScenario training) {
        if (!cargo.equals(others)) {
            throw new Violation("two ranks have other buckets: " + cargo + ", " + others);
        }
        List<Parameter> left = new ArrayList<>(training.parameters());
        for (Cargo bucket : cargo) {
            long from = 0;
            for (Stowed each : bucket.gradients()) {
                if (!left.remove(each.parameter())
                        || each.from() != from
                        || each.parameter().type() != bucket.type()) {
                    throw new Violation("a gradient is not where it should be: " + each + ", " + bucket);
                }
                from += each.parameter().count();
            }
            BucketOptions options = training.options().getFirst();
            long most = Math.max(options.bucketBytes(), options.firstBucketBytes());
            if (from != bucket.count()
                    || (bucket.gradients().size() > 1 && from * bucket.type().byteSize() > most)) {
                throw new Violation("a bucket has another size than its gradients, or one beyond the limit: " + bucket);
            }
        }
        if (!left.isEmpty()) {
            throw new Violation("gradients are in no bucket: " + left);
        }
    }
}
