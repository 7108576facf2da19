package io.reactivecomm.samples.programs.optimizer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.deepspeed.DeepSpeedConfig;
import io.reactivecomm.deepspeed.OneBitParams;
import io.reactivecomm.deepspeed.OneBitParams.OneBitAdamParams;
import io.reactivecomm.deepspeed.OneBitParams.OneBitLambParams;
import io.reactivecomm.deepspeed.OneBitParams.ZeroOneAdamParams;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Optimizers that a DeepSpeed configuration describes. */
class DeepSpeedOptimizersTest {

    private static OneBitParams params(String json) {
        return DeepSpeedConfig.of(json.replace('\'', '"')).optimizer().orElseThrow();
    }

    /** {@return the parameters after three steps of a rank} */
    private static Mono<float[]> train(ProcessGroup group, OneBitAdamParams params) {
        CompressedAllReduce compression = CompressedAllReduce.of(
                CompressionOptions.inTwoSteps(new OneBit()).withWarmUp(params.freezeStep()));
        RankAverage ranks = new RankAverage(group, Schedulers.immediate(), 2, compression, false);
        OneBitAdam adam = new OneBitAdam(ranks, AdamOptions.of(params.adam()), 2);
        float[] parameters = {1, -1};
        return Flux.range(0, 3)
                .concatMap(step -> adam.step(parameters, new float[] {1 + group.rank(), -2}, (float)
                        params.adam().learningRate()))
                .then(Mono.fromSupplier(() -> parameters))
                .doFinally(end -> {
                    ranks.close();
                    compression.close();
                });
    }

    @Test
    void oneBitAdam_ofAConfiguration_trains() {
        OneBitAdamParams params = (OneBitAdamParams)
                params("{'optimizer': {'type': 'OneBitAdam', 'params': {'lr': 0.1, 'freeze_step': 2}}}");
        try (LocalWorld world = ReactiveComm.local(2)) {
            assertThat(Flux.fromIterable(world.groups())
                            .flatMap(group -> train(group, params))
                            .collectList()
                            .block(Duration.ofSeconds(20)))
                    .hasSize(2)
                    .allSatisfy(parameters -> {
                        assertThat(parameters[0]).isLessThan(1);
                        assertThat(parameters[1]).isGreaterThan(-1);
                    });
        }
    }

    @Test
    void defaults_areThoseOfTheSamples() {
        assertThat(AdamOptions.of(
                        params("{'optimizer': {'type': 'OneBitAdam'}}").adam()))
                .isEqualTo(AdamOptions.DEFAULT);
        assertThat(LambOptions.of((OneBitLambParams) params("{'optimizer': {'type': 'OneBitLamb'}}")))
                .isEqualTo(LambOptions.DEFAULT);
        assertThat(ZeroOneSchedule.of((ZeroOneAdamParams)
                        params("{'optimizer': {'type': 'ZeroOneAdam', 'params': {'var_freeze_step': 1000}}}")))
                .isEqualTo(new ZeroOneSchedule(
                        ZeroOneSchedule.DEFAULT_VARIANCES_PER_INTERVAL,
                        1000,
                        32_678,
                        ZeroOneSchedule.DEFAULT_MOST_LOCAL_STEPS));
    }
}
