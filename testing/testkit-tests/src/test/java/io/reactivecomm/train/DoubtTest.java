package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks of which not all know that all have the plan: those who ask are told within their step. */
class DoubtTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Object DONE = "done";

    private final LocalWorld world = ReactiveComm.local(3);
    private final List<GradientBuckets> buckets = world.groups().stream()
            .map(group -> GradientBuckets.of(group, BucketOptions.DEFAULT.withScaling(Scaling.SUM)))
            .toList();
    private final List<Tensor> tensors =
            IntStream.range(0, 6).mapToObj(i -> Tensor.of(new float[1])).toList();
    /** Throws as results are to come back to it, after all ranks have reduced its bucket. */
    private boolean throwsAfterwards;

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
            tensor.segment().copyFrom(MemorySegment.ofArray(new float[] {1 << rank}));
            return new Gradient("w" + place, rank == 1 && throwsAfterwards ? throwing(tensor) : tensor);
        });
    }

    private static Tensor throwing(Tensor tensor) {
        AtomicInteger reads = new AtomicInteger();
        return (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    // Packing looks at it once, unpacking again.
                    if (method.getName().equals("segment") && reads.incrementAndGet() > 1) {
                        throw new IllegalStateException("planted");
                    }
                    return switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        default -> method.invoke(tensor, arguments);
                    };
                });
    }

    /** {@return the error of each rank, or that it is done} */
    private List<Object> step() {
        return Objects.requireNonNull(Flux.range(0, 3)
                .flatMapSequential(rank -> gradients(rank)
                        .transform(buckets.get(rank))
                        .then(Mono.just(DONE))
                        .onErrorResume(Mono::just))
                .collectList()
                .block(LIMIT));
    }

    private void requireStep() {
        assertThat(step()).containsExactly(DONE, DONE, DONE);
        assertThat(tensors)
                .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsExactly(7));
    }

    @Test
    void rankThatHasSeenNoBucketReduced_isToldByTheOthers_withinTheStep() {
        throwsAfterwards = true;
        assertThat(step().get(1)).isInstanceOf(IllegalStateException.class);

        throwsAfterwards = false;
        requireStep();
        requireStep();
    }
}
