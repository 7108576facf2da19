package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The result of a gradient that a rank lacked, in a program that has dropped the buckets without closing them. */
class KeptResultTest {

    private static final List<Parameter> MODEL =
            List.of(new Parameter("a", DType.FLOAT32, 2), new Parameter("b", DType.FLOAT32, 2));

    /** {@return the results on one rank} */
    private static Mono<List<Gradient>> step(ProcessGroup group, Gradient... gradients) {
        return Flux.just(gradients)
                .transform(GradientBuckets.sum(group).registered(MODEL))
                .collectList();
    }

    @Test
    void result_outlivesBucketsThatWereDropped() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            Gradient one = new Gradient("a", Tensor.of(new float[] {1, 2}));
            Gradient other = new Gradient("b", Tensor.of(new float[] {3, 4}));
            List<Gradient> results = Objects.requireNonNull(Mono.zip(
                            step(world.groups().get(0), one),
                            step(world.groups().get(1), other))
                    .map(both -> both.getT1())
                    .block(Duration.ofSeconds(30)));
            CollectorRuns.all();
            assertThat(results).hasSize(2);
            for (Gradient result : results) {
                assertThat(result.tensor().toFloatArray())
                        .as(result.name())
                        .containsExactly(result.name().equals("a") ? new float[] {1, 2} : new float[] {3, 4});
                result.tensor().close();
            }
            other.tensor().close();
        }
    }
}
