package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.LocalWorldRuns;
import io.reactivecomm.train.BucketReducer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

@Timeout(60)
class GradientDescentTest {

    private static final TrainOptions SHORT = new TrainOptions(1, 100, 0.1f, 3, Path.of("unused.png"));
    private static final Digits.Split DATA = Digits.load();

    /** A reducer that does what buckets do without one, and notes what it is given. */
    private static final class Plain implements BucketReducer {

        private final AtomicReference<List<String>> parameters = new AtomicReference<>(List.of());

        @Override
        public String label() {
            return "plain";
        }

        @Override
        public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
            parameters.set(bucket.parameters().stream()
                    .map(each -> each.name() + each.shape())
                    .toList());
            return group.allReduce(bucket.tensor(), bucket.reduction());
        }
    }

    private static long train(ProcessGroup group, LearningRule.Choice choice) {
        Mlp model = Training.model(3);
        try (DataParallel training = new DataParallel(group, Device.CPU, model, DATA, SHORT, choice)) {
            training.train().blockLast();
            return ParameterHash.of(model);
        }
    }

    @Test
    void inBuckets_plainOrReduced_hasTheBitsOfEachLayerByItself() throws Exception {
        Plain plain = new Plain();
        AtomicInteger closed = new AtomicInteger();
        List<Long> hashes = LocalWorldRuns.onEachRank(3, group -> train(group, GradientDescent::byLayer));
        assertThat(LocalWorldRuns.onEachRank(3, group -> train(group, GradientDescent::inBuckets)))
                .isEqualTo(hashes);
        assertThat(LocalWorldRuns.onEachRank(
                        3,
                        group -> train(
                                group, learner -> GradientDescent.inBuckets(learner, plain, closed::incrementAndGet))))
                .isEqualTo(hashes);
        assertThat(closed).hasValue(3);
        assertThat(plain.parameters.get())
                .containsExactly(
                        "layer2.weight[10, 64]", "layer2.bias[10]", "layer1.weight[64, 64]", "layer1.bias[64]");
    }
}
