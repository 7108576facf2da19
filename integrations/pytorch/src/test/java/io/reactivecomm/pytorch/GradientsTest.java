package io.reactivecomm.pytorch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.pytorch.Models.Branches;
import io.reactivecomm.pytorch.Models.Normalized;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.FiniteCheck;
import io.reactivecomm.train.Scaling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import org.assertj.core.data.Offset;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AutoGradMode;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorArrayRefOptional;
import org.bytedeco.pytorch.TensorBase;
import org.bytedeco.pytorch.VoidTensorHook;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The test of where gradients live, and of which of them count. */
class GradientsTest {

    @TempDir
    Path folder;

    @BeforeAll
    static void load() {
        TorchNatives.load();
    }

    private static Branches model() {
        return Models.filled(new Branches(), 0);
    }

    private static Tensor loss(Branches model, int data) {
        return Models.loss(model.forward(Models.values(data, 3, 4), true));
    }

    /** {@return the average of what two models without communication accumulate} */
    private static List<float[]> average(int[] ofRank0, int[] ofRank1) {
        List<float[]> all = alone(ofRank0);
        List<float[]> other = alone(ofRank1);
        for (int i = 0; i < all.size(); i++) {
            for (int k = 0; k < all.get(i).length; k++) {
                all.get(i)[k] = (all.get(i)[k] + other.get(i)[k]) / 2;
            }
        }
        return all;
    }

    private static List<float[]> alone(int... data) {
        Branches model = model();
        for (int each : data) {
            loss(model, each).backward();
        }
        return Models.gradients(model);
    }

    private static void requireSame(List<float[]> actual, List<float[]> expected) {
        assertThat(actual).usingRecursiveComparison().isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void zeroGrad_betweenSteps_startsAnew(boolean setToNone) throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                ddp.step(() -> loss(model, 5)).block();
                model.zero_grad(setToNone);
                ddp.step(() -> loss(model, group.rank())).block();
                return Models.gradients(model);
            }
        });

        requireSame(gradients.get(0), average(new int[] {0}, new int[] {1}));
        requireSame(gradients.get(1), gradients.get(0));
    }

    @Test
    void noSync_accumulates_andTheNextStepReducesTheSum() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                ddp.noSync(() -> {
                    loss(model, group.rank()).backward();
                    loss(model, 2 + group.rank()).backward();
                });
                requireSame(Models.gradients(model), alone(group.rank(), 2 + group.rank()));
                ddp.backward(loss(model, 4 + group.rank())).block();
                return Models.gradients(model);
            }
        });

        requireSame(gradients.get(0), average(new int[] {0, 2, 4}, new int[] {1, 3, 5}));
        requireSame(gradients.get(1), gradients.get(0));
    }

    @Test
    void parameterOfNoSyncPassOnly_countsAsPresent() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                if (group.rank() == 1) {
                    ddp.noSync(() -> loss(model, 1).backward());
                }
                ddp.step(() -> Models.loss(model.forward(Models.values(0, 3, 4), false)))
                        .block();
                return Models.gradients(model);
            }
        });

        assertThat(gradients.get(0).get(4)).isNotEmpty();
        requireSame(gradients.get(1), gradients.get(0));
    }

    @Test
    void secondStepWithoutReset_averages_butWithSumIsRefused() throws Exception {
        Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp =
                    DistributedDataParallel.of(model, group, buckets(BucketOptions.DEFAULT.withScaling(Scaling.SUM)))) {
                ddp.step(() -> loss(model, group.rank())).block();
                assertThatThrownBy(
                                () -> ddp.step(() -> loss(model, group.rank())).block())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("summed over ranks twice");
                ddp.step(() -> loss(model, group.rank())).block();
                model.zero_grad(false);
                ddp.step(() -> loss(model, group.rank())).block();
                return 0;
            }
        });
    }

    private static DataParallelOptions buckets(BucketOptions options) {
        return DataParallelOptions.DEFAULT.withBuckets(options);
    }

    @Test
    void channelsLastParameter_hasAGradientOfItsStrides() throws Exception {
        List<float[]> gradients = Ranks.run(2, group -> {
            Normalized model = Models.filled(new Normalized(), 0);
            Tensor weight = model.convolution.weight();
            weight.set_data(weight.contiguous(MemoryFormat.ChannelsLast));
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                ddp.step(() -> Models.loss(model.forward(Models.values(0, 2, 2, 5, 5))))
                        .block();
                assertThat(TorchMemory.values(weight.grad().strides()))
                        .isEqualTo(TorchMemory.values(weight.strides()))
                        .isNotEqualTo(TorchMemory.values(weight.contiguous().strides()));
                return Models.floats(weight.grad());
            }
        });

        Normalized alone = Models.filled(new Normalized(), 0);
        Models.loss(alone.forward(Models.values(0, 2, 2, 5, 5))).backward();
        assertThat(gradients.get(0))
                .containsExactly(Models.floats(alone.convolution.weight().grad()), Offset.offset(1e-6f));
    }

    /** A hook that runs a backward pass within the backward pass, as recomputation does. */
    private static final class Reentrant extends VoidTensorHook {

        private final Runnable inner;

        private Reentrant(Runnable inner) {
            this.inner = inner;
        }

        @Override
        public void call(TensorBase gradient) {
            try (AutoGradMode _ = new AutoGradMode(true)) {
                inner.run();
            }
        }
    }

    private static Tensor reentrantLoss(Branches model, List<Reentrant> hooks) {
        Tensor output = model.forward(Models.values(0, 3, 4), true);
        Reentrant hook = new Reentrant(() -> loss(model, 1).backward());
        hooks.add(hook);
        output.register_hook(hook);
        return Models.loss(output);
    }

    @Test
    void gradientThatComesTwiceInAPass_failsAllRanks_andIsRightIfAnnouncedAtEnd() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            List<Reentrant> hooks = new ArrayList<>();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                assertThatThrownBy(
                                () -> ddp.step(() -> group.rank() == 1 ? reentrantLoss(model, hooks) : loss(model, 0))
                                        .block())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("came twice");
                assertThat(Models.gradients(model)).allMatch(each -> each.length == 0);
            }
            try (DistributedDataParallel ddp =
                    DistributedDataParallel.of(model, group, DataParallelOptions.DEFAULT.withAnnouncementAtEnd(true))) {
                ddp.step(() -> reentrantLoss(model, hooks)).block();
                return Models.gradients(model);
            }
        });

        requireSame(gradients.get(0), alone(1, 0));
    }

    @Test
    void hookOfTheProgramThatThrows_inTheBackwardPass_failsAllRanks_andTheNextStepIsRight() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            Reentrant hook = new Reentrant(() -> {
                throw new IllegalStateException("no gradient today");
            });
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                assertThatThrownBy(() -> ddp.step(() -> {
                                    Tensor output = model.forward(Models.values(0, 3, 4), true);
                                    if (group.rank() == 1) {
                                        output.register_hook(hook);
                                    }
                                    return Models.loss(output);
                                })
                                .block())
                        .hasMessageContaining("no gradient today");
                assertThat(Models.gradients(model)).allMatch(each -> each.length == 0);
                ddp.step(() -> loss(model, group.rank())).block();
                return Models.gradients(model);
            }
        });

        requireSame(gradients.get(0), average(new int[] {0}, new int[] {1}));
        requireSame(gradients.get(1), gradients.get(0));
    }

    @Test
    void algorithmOfTheGroup_isThatOfItsBuckets() throws Exception {
        Ranks.run(2, group -> {
            Set<String> algorithms = ConcurrentHashMap.newKeySet();
            CommObserver observer = new CommObserver() {
                @Override
                public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
                    if (call.operation().equals("all-reduce")) {
                        algorithms.add(call.algorithm());
                    }
                }
            };
            Branches model = model();
            try (DistributedDataParallel ddp =
                    DistributedDataParallel.of(model, group.observedBy(observer).algorithm("ring"))) {
                ddp.step(() -> loss(model, group.rank())).block();
            }
            assertThat(algorithms).contains("ring");
            return 0;
        });
    }

    @Test
    void createGraph_isRefused() throws Exception {
        Ranks.run(1, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                Tensor loss = loss(model, 0);
                assertThatThrownBy(() -> ddp.noSync(() -> loss.backward(
                                new Tensor(), new BoolOptional(true), true, new TensorArrayRefOptional())))
                        .hasMessageContaining("create_graph");
                return 0;
            }
        });
    }

    @Test
    void step_onALoop_isRefused() throws Exception {
        Ranks.run(1, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                assertThatThrownBy(() -> Mono.just(1)
                                .publishOn(Schedulers.parallel())
                                .flatMap(one -> ddp.step(() -> loss(model, 0)))
                                .block())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("subscribeOn");
                return 0;
            }
        });
    }

    @Test
    void step_insideAScopeOfTheProgram_andOfInAClosedScope_work() throws Exception {
        Ranks.run(2, group -> {
            Branches model = model();
            DistributedDataParallel ddp;
            try (PointerScope _ = new PointerScope()) {
                ddp = DistributedDataParallel.of(model, group);
            }
            try (ddp) {
                for (int step = 0; step < 3; step++) {
                    try (PointerScope _ = new PointerScope()) {
                        assertThat(ddp.step(() -> loss(model, 0)).block().item_float())
                                .isGreaterThan(0);
                    }
                }
                return 0;
            }
        });
    }

    @Test
    void cancelledStep_failsTheOtherRank_andBothGoOn() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                if (group.rank() == 1) {
                    Mono<Tensor> step = ddp.step(() -> {
                        throw new CancellationException("cancelled");
                    });
                    assertThatThrownBy(step::block).isInstanceOf(CancellationException.class);
                } else {
                    assertThatThrownBy(() -> ddp.step(() -> loss(model, 0)).block())
                            .isInstanceOf(CommException.class);
                }
                ddp.noSync(() -> loss(model, 7).backward());
                ddp.step(() -> loss(model, group.rank())).block();
                return Models.gradients(model);
            }
        });

        requireSame(gradients.get(0), average(new int[] {7, 0}, new int[] {7, 1}));
        requireSame(gradients.get(1), gradients.get(0));
    }

    @Test
    void gradients_afterTheGroupHasEnded_stayUsable_andAfterCloseAreTheParametersOwn() throws Exception {
        LocalWorld world = ReactiveComm.local(1);
        Branches model = model();
        DistributedDataParallel ddp =
                DistributedDataParallel.of(model, world.groups().get(0));
        ddp.step(() -> loss(model, 0)).block();
        world.close();
        ddp.noSync(() -> loss(model, 1).backward());
        requireSame(Models.gradients(model), alone(0, 1));
        assertThatThrownBy(() -> ddp.step(() -> loss(model, 0)).block()).isInstanceOf(CommException.class);
        ddp.noSync(() -> loss(model, 1).backward());
        ddp.close();
        ddp.close();

        requireSame(Models.gradients(model), alone(1));
        loss(model, 2).backward();
        requireSame(Models.gradients(model), alone(1, 2));
    }

    @Test
    void communicationType_isAppliedToGradientsOfTheirOwnMemory() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(
                    model, group, buckets(BucketOptions.DEFAULT.withCommunicationType(DType.BFLOAT16)))) {
                ddp.step(() -> Models.loss(model.forward(Models.values(group.rank(), 3, 4), group.rank() == 1)))
                        .block();
                return Models.gradients(model);
            }
        });

        requireSame(gradients.get(1), gradients.get(0));
        assertThat(gradients.get(0).get(4)).isNotEmpty().isNotEqualTo(new float[16]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"one-bit", "int8", "int4", "top-k", "powersgd"})
    void compression_ofSavedAndLoadedState_continuesWithTheSameBits(String name) throws Exception {
        DataParallelOptions options = DataParallelOptions.DEFAULT.withCompression(name);
        List<List<float[]>> whole = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group, options)) {
                ddp.step(() -> loss(model, group.rank())).block();
                model.zero_grad(true);
                ddp.save(folder.resolve(name + group.rank()));
                ddp.step(() -> loss(model, 2 + group.rank())).block();
                return Models.gradients(model);
            }
        });
        List<List<float[]>> resumed = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group, options)) {
                ddp.load(folder.resolve(name + group.rank()));
                assertThat(ddp.steps()).isEqualTo(1);
                ddp.step(() -> loss(model, 2 + group.rank())).block();
                return Models.gradients(model);
            }
        });

        requireSame(resumed.get(0), whole.get(0));
        requireSame(resumed.get(1), whole.get(0));
        // PowerSGD begins to compress later.
        if (!name.equals("powersgd")) {
            assertThat(whole.get(0).get(0))
                    .isNotEqualTo(average(new int[] {2}, new int[] {3}).get(0));
        }
    }

    @Test
    void maxNorm_limitsTheNormOfAllGradients_alsoWithBuffers() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Normalized model = Models.filled(new Normalized(), 0);
            try (DistributedDataParallel ddp =
                    DistributedDataParallel.of(model, group, DataParallelOptions.DEFAULT.withMaxNorm(1e-3))) {
                ddp.step(() -> Models.loss(model.forward(Models.values(group.rank(), 2, 2, 5, 5))))
                        .block();
                return Models.gradients(model);
            }
        });

        double squares = 0;
        for (float[] each : gradients.get(0)) {
            for (float value : each) {
                squares += (double) value * value;
            }
        }
        assertThat(Math.sqrt(squares)).isCloseTo(1e-3, Offset.offset(1e-5));
        requireSame(gradients.get(1), gradients.get(0));
    }

    @Test
    void gradientThatIsNotFinite_skipsTheStepOnAllRanks_andLeavesNoGradient() throws Exception {
        Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(
                    model, group, DataParallelOptions.DEFAULT.withFiniteCheck(FiniteCheck.SKIP))) {
                ddp.step(() -> loss(model, 0).mul(new Scalar(group.rank() == 1 ? Double.NaN : 1)))
                        .block();
                assertThat(ddp.isSkipped()).isTrue();
                assertThat(Models.gradients(model)).allMatch(each -> each.length == 0);
                ddp.step(() -> loss(model, 0)).block();
                assertThat(ddp.isSkipped()).isFalse();
                requireSame(Models.gradients(model), alone(0));
                return ddp.steps();
            }
        });
    }

    @Test
    void cancelledMono_endsThePass_andTheNextStepIsRight() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                if (group.rank() == 1) {
                    Disposable.Swap running = Disposables.swap();
                    Mono<Tensor> step = ddp.step(() -> {
                        running.dispose();
                        return loss(model, 0);
                    });
                    step.subscribe(new BaseSubscriber<>() {
                        @Override
                        protected void hookOnSubscribe(Subscription subscription) {
                            running.update(subscription::cancel);
                            subscription.request(1);
                        }
                    });
                    assertThat(Models.gradients(model)).allMatch(each -> each.length == 0);
                } else {
                    assertThatThrownBy(() -> ddp.step(() -> loss(model, 0)).block())
                            .isInstanceOf(CommException.class);
                }
                ddp.step(() -> loss(model, group.rank())).block();
                return Models.gradients(model);
            }
        });

        requireSame(gradients.get(0), average(new int[] {0}, new int[] {1}));
        requireSame(gradients.get(1), gradients.get(0));
    }
}
