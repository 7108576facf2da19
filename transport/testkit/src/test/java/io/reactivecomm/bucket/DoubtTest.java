package io.reactivecomm.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks of which not all know that they agreed, as a deadline may leave them: one step fails, and the next agrees anew. */
class DoubtTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Object DONE = "done";

    private final LocalWorld world = ReactiveComm.local(2);
    private final List<GradientBuckets> buckets = world.groups().stream().map(GradientBuckets::sum).toList();
    private final List<Tensor> tensors = IntStream.range(0, 4).mapToObj(i -> Tensor.of(new float[1])).toList();

    @AfterEach
    void close() {
        buckets.forEach(GradientBuckets::close);
        world.close();
        tensors.forEach(Tensor::close);
    }

    /** Each rank hands over two gradients, in an order of its own. */
    private Flux<Gradient> gradients(int rank) {
        return Flux.range(0, 2).map(i -> {
            int place = (i + rank) % 2;
            Tensor tensor = tensors.get(2 * rank + place);
            tensor.segment().copyFrom(MemorySegment.ofArray(new float[] {rank + 1}));
            return new Gradient("w" + place, tensor);
        });
    }

    /** {@return the error of each rank, or that it is done} */
    private List<Object> step() {
        return Objects.requireNonNull(Flux.range(0, 2)
                .flatMapSequential(rank -> gradients(rank)
                        .transform(buckets.get(rank))
                        .then(Mono.just(DONE))
                        .onErrorResume(Mono::just))
                .collectList()
                .block(LIMIT));
    }

    private void requireStep() {
        assertThat(step()).containsExactly(DONE, DONE);
        assertThat(tensors).allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsExactly(3));
    }

    @Test
    void rankThatDoesNotKnowOfTheAgreement_failsOneStep() {
        requireStep();
        BucketPlan plan = buckets.getFirst().agreed();
        buckets.getLast().doubt();

        assertThat(step()).hasOnlyElementsOfType(MismatchException.class);
        assertThat(buckets.getFirst().agreed()).isNull();
        requireStep();
        assertThat(buckets.getFirst().agreed()).as("the same gradients, in the order that was agreed").isSameAs(plan);
        requireStep();
    }
}
