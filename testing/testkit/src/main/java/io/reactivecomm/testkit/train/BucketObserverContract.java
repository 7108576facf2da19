package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.ObserverNotes.Kind;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The contract of observers and gradient buckets: a step and each of its buckets are recognised as what they are. */
public abstract class BucketObserverContract extends BucketWorld {

    private static final String STEP = "gradient buckets";

    private void run(List<ProcessGroup> groups, List<Parameter> model, List<ObserverNotes> inContext) {
        List<GradientBuckets> buckets =
                buckets(groups, group -> GradientBuckets.of(group, SMALL).registered(model));
        List<Ended> ends = steps(groups.size(), rank -> {
            Flux<Gradient> step = Flux.fromIterable(gradients(model, rank)).transform(buckets.get(rank));
            return step.contextWrite(
                    context -> inContext.isEmpty() ? context : ContextObservers.put(context, inContext.get(rank)));
        });
        ends.forEach(Ended::requireSuccess);
    }

    private static void requireBuckets(ObserverNotes notes, String group) {
        ObservedCall step = notes.call(STEP);
        List<ObservedCall> buckets = notes.calls().stream()
                .filter(call -> call.label().contains("/bucket."))
                .toList();
        assertThat(step.isComposite()).isTrue();
        assertThat(step.label()).startsWith(group + "#");
        assertThat(buckets).hasSizeGreaterThan(2).allSatisfy(bucket -> {
            assertThat(bucket.operation()).isEqualTo("all-reduce");
            assertThat(bucket.composite()).isEqualTo(step.label());
            assertThat(notes.of(bucket))
                    .extracting(ObserverNotes.Note::kind)
                    .startsWith(Kind.SUBSCRIBED)
                    .endsWith(Kind.ENDED);
        });
        assertThat(buckets)
                .extracting(call -> call.label().substring(call.label().indexOf('/')))
                .contains("/bucket.0#0", "/bucket.1#0", "/bucket.2#0")
                .doesNotHaveDuplicates();
    }

    @Tag("smoke")
    @Test
    void buckets_areRecognised_withTheStepThatTheyAreIn() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = world.stream()
                .map(group -> {
                    ObserverNotes each = new ObserverNotes();
                    group.observe(each);
                    return each;
                })
                .toList();
        List<Parameter> model = model(6, DType.FLOAT32);
        run(world.stream().map(group -> group.named("encoder")).toList(), model, List.of());
        notes.forEach(each -> requireBuckets(each, "encoder"));
    }

    /** Of a program that counts its steps. */
    @Test
    void buckets_inAStepOfTheProgram_sayWhich() {
        List<ProcessGroup> world = world(2);
        ObserverNotes notes = new ObserverNotes();
        world.getFirst().observe(notes);
        run(world.stream().map(group -> group.numbered(5)).toList(), model(4, DType.FLOAT32), List.of());
        assertThat(notes.call(STEP).step()).hasValue(5);
        assertThat(notes.calls().stream().filter(call -> call.label().contains("/bucket.")))
                .isNotEmpty()
                .allSatisfy(bucket -> assertThat(bucket.composite()).endsWith("@scope5"));
    }

    @Test
    void context_reachesBuckets_throughTheirThreads() {
        List<ProcessGroup> world = world(2);
        List<ObserverNotes> notes = List.of(new ObserverNotes(), new ObserverNotes());
        run(world, model(6, DType.FLOAT32), notes);
        notes.forEach(each -> requireBuckets(each, ""));
        assertThat(Objects.requireNonNull(notes.getFirst()).of(Kind.ENDED, note -> note.detail() == null))
                .hasSameSizeAs(notes.getFirst().calls());
    }
}
