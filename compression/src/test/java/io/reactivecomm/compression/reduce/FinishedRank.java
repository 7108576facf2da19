package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.TrainingStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Two ranks, the second of which has one step less. */
final class FinishedRank {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private FinishedRank() {}

    /** A step that hands gradients over, and notes the results. */
    private record Step(List<Gradient> all, Map<String, List<Float>> results) implements TrainingStep {

        @Override
        public Flux<Gradient> gradients() {
            return Flux.fromIterable(all);
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            return Mono.<Void>fromRunnable(() -> note(reduced)).subscribeOn(Schedulers.boundedElastic());
        }

        private void note(Gradient reduced) {
            List<Float> values = new ArrayList<>();
            for (float value : reduced.tensor().toFloatArray()) {
                values.add(value);
            }
            results.put(reduced.name(), values);
        }
    }

    /**
     * Runs the steps, and requires the same results on both ranks.
     *
     * @param kept the state of the second rank
     * @return it after its own step, and after the other's
     */
    static List<List<byte[]>> twoStepsAndOne(
            List<GradientBuckets> buckets,
            Supplier<List<Gradient>> first,
            Supplier<List<Gradient>> second,
            Supplier<List<byte[]>> kept) {
        List<GradientHooks> hooks = buckets.stream()
                .map(each -> GradientHooks.of(each).withUnevenInputs())
                .toList();
        Map<String, List<Float>> own = new ConcurrentHashMap<>();
        Map<String, List<Float>> others = new ConcurrentHashMap<>();
        List<List<byte[]>> states = new ArrayList<>();
        Mono<StepEnd> longer = Flux.range(0, 2)
                .concatMap(step -> hooks.get(0).run(new Step(first.get(), own)))
                .then(Mono.defer(() -> {
                    Map<String, List<Float>> none = new ConcurrentHashMap<>();
                    return hooks.get(0).finished(new Step(List.of(), none), end -> Mono.empty());
                }));
        Mono<StepEnd> shorter = hooks.get(1)
                .run(new Step(second.get(), others))
                .publishOn(Schedulers.boundedElastic())
                .doOnNext(end -> states.add(kept.get()))
                .then(Mono.defer(() -> hooks.get(1)
                        .finished(
                                new Step(List.of(), others),
                                end -> Mono.<Void>fromRunnable(() -> states.add(kept.get()))
                                        .subscribeOn(Schedulers.boundedElastic()))));
        assertThat(Flux.merge(longer, shorter).collectList().block(LIMIT))
                .extracting(StepEnd::step)
                .containsExactly(2L, 2L);
        assertThat(new TreeMap<>(others)).isEqualTo(new TreeMap<>(own)).isNotEmpty();
        assertThat(states).hasSize(2);
        return states;
    }
}
