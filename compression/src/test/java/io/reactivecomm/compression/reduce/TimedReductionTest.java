package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.timing.CallFigures;
import io.reactivecomm.timing.CallTiming;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Timing operators on compressed calls: codecs, and buckets with a reducer, hand the Context on. */
class TimedReductionTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Runs that on two ranks. {@return the figures of each} */
    private static List<CallFigures> figures(BiFunction<ProcessGroup, CompressedAllReduce, Publisher<?>> program) {
        List<CallFigures> told = Collections.synchronizedList(new ArrayList<>());
        try (LocalWorld world = ReactiveComm.local(2)) {
            Flux.fromIterable(world.groups())
                    .flatMap(group -> Flux.using(
                            () -> CompressedAllReduce.of(CompressionOptions.inTwoSteps(new OneBit())),
                            oneBit -> Flux.<Object>from(program.apply(group, oneBit))
                                    .transform(CallTiming.timed(told::add)),
                            CompressedAllReduce::close))
                    .blockLast(LIMIT);
        }
        return told;
    }

    @Test
    void compressedAllReduce_isTimed_withTheCallsThatItIsMadeOf() {
        assertThat(figures((group, oneBit) ->
                        oneBit.allReduce(group, "momentum", Tensor.of(new float[1000]), ReduceOp.AVG)))
                .hasSize(2)
                .allSatisfy(each -> {
                    assertThat(each.calls()).isGreaterThan(2);
                    assertThat(each.succeeded()).isEqualTo(each.calls());
                    assertThat(each.payloadBytes().total()).isPositive();
                });
    }

    @Test
    void bucketsWithAReducer_areTimed() {
        assertThat(figures((group, oneBit) -> Flux.just(new Gradient("weights", Tensor.of(new float[1000])))
                        .transform(GradientBuckets.of(group, BucketOptions.DEFAULT.withReducer(oneBit)))))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.calls()).isGreaterThan(4));
    }
}
