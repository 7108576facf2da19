package io.reactivecomm.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.hook.Gradient;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Buckets of a and b, c and d, e. */
class StepProgressTest {

    private static final BucketPlan PLAN = new BucketPlan(
            List.of("a", "b", "c", "d", "e").stream()
                    .map(name -> new Parameter(name, DType.FLOAT32, 1))
                    .toList(),
            BucketOptions.DEFAULT.withBucketBytes(8).withFirstBucketBytes(8),
            2);

    private final Tensor tensor = Tensor.allocate(DType.FLOAT32, 1);

    @AfterEach
    void closeTensor() {
        tensor.close();
    }

    private void arrive(StepProgress step, String... names) {
        for (String name : names) {
            step.arrived(Objects.requireNonNull(PLAN.place(name)), new Gradient(name, tensor));
        }
    }

    private static Bucket begin(StepProgress step) {
        Bucket next = Objects.requireNonNull(step.next());
        step.began();
        return next;
    }

    private static List<String> names(List<Gradient> gradients) {
        return gradients.stream().map(Gradient::name).toList();
    }

    @Test
    void buckets_beginInOrder_whicheverIsWholeFirst() {
        StepProgress step = new StepProgress(PLAN, ResultOrder.COMPLETION);
        arrive(step, "e", "c", "d", "b");
        assertThat(step.next()).isNull();
        arrive(step, "a");
        assertThat(begin(step)).isEqualTo(PLAN.buckets().get(0));
        assertThat(begin(step)).isEqualTo(PLAN.buckets().get(1));
        assertThat(begin(step)).isEqualTo(PLAN.buckets().get(2));
        assertThat(step.next()).isNull();
        assertThat(step.begunCount()).isEqualTo(3);
    }

    @Test
    void results_inOrderOfCompletion_goAtOnce() {
        StepProgress step = new StepProgress(PLAN, ResultOrder.COMPLETION);
        arrive(step, "d", "b", "a", "c");
        begin(step);
        Bucket second = begin(step);
        assertThat(names(step.finished(second))).containsExactly("c", "d");
        assertThat(step.heldBack()).isEmpty();
    }

    @Test
    void results_inOrderOfParameters_waitForThoseBefore() {
        StepProgress step = new StepProgress(PLAN, ResultOrder.PARAMETER);
        arrive(step, "a", "b", "c", "d");
        Bucket first = begin(step);
        Bucket second = begin(step);
        assertThat(step.finished(second)).isEmpty();
        assertThat(names(step.heldBack())).containsExactly("c", "d");
        assertThat(names(step.finished(first))).containsExactly("a", "b", "c", "d");
        assertThat(step.heldBack()).isEmpty();
    }

    @Test
    void gradients_thatDoNotCome_holdUpNothing() {
        StepProgress step = new StepProgress(PLAN, ResultOrder.PARAMETER);
        arrive(step, "b", "e");
        assertThat(step.next()).isNull();
        step.noMoreCome();
        Bucket first = begin(step);
        Bucket second = begin(step);
        Bucket third = begin(step);
        assertThat(names(step.finished(third))).isEmpty();
        assertThat(names(step.finished(first))).containsExactly("b");
        assertThat(step.isOver()).isFalse();
        assertThat(names(step.finished(second))).containsExactly("e");
        assertThat(step.isOver()).isTrue();
    }
}
