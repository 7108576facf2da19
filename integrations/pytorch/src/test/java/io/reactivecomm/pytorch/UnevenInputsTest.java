package io.reactivecomm.pytorch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.pytorch.Models.Branches;
import io.reactivecomm.pytorch.Models.Normalized;
import io.reactivecomm.train.Divisor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** The test of ranks that have different numbers of steps. */
class UnevenInputsTest {

    private static final int RANKS = 3;
    private static final double RATE = 0.1;

    @BeforeAll
    static void load() {
        TorchNatives.load();
    }

    private static DataParallelOptions options(Divisor divisor) {
        return DataParallelOptions.DEFAULT.withUnevenInputs(divisor);
    }

    /** Rank 0 has one step, rank 1 has three, rank 2 five. */
    private static int steps(int rank) {
        return 1 + 2 * rank;
    }

    private static Branches model() {
        return Models.filled(new Branches(), 0);
    }

    /** From its third step on, a rank leaves out a branch, whose parameters then stay. */
    private static Tensor loss(Branches model, int rank, int step) {
        return Models.loss(model.forward(Models.values(rank + 10 * step, 3, 4), step < 2));
    }

    /** Descends, and leaves no gradients. */
    private static void descend(Branches model, double factor) {
        try (NoGradGuard _ = new NoGradGuard()) {
            TensorVector parameters = model.parameters();
            for (long i = 0; i < parameters.size(); i++) {
                Tensor gradient = parameters.get(i).grad();
                if (gradient.defined()) {
                    parameters.get(i).sub_(gradient.mul(new Scalar(RATE * factor)));
                }
            }
        }
        model.zero_grad(true);
    }

    /** {@return what one rank learns that sees the batches of all active ranks in each step} */
    private static List<float[]> alone(Divisor divisor) {
        Branches model = model();
        for (int step = 0; step < steps(RANKS - 1); step++) {
            int present = step;
            int[] active = IntStream.range(0, RANKS)
                    .filter(rank -> present < steps(rank))
                    .toArray();
            for (int rank : active) {
                loss(model, rank, step).backward();
            }
            descend(model, 1.0 / (divisor == Divisor.WORLD_SIZE ? RANKS : active.length));
        }
        return Models.parameters(model);
    }

    @ParameterizedTest
    @EnumSource
    void ranksWithDifferentNumbersOfSteps_learnWhatOneRankWould(Divisor divisor) throws Exception {
        List<List<float[]>> parameters = Ranks.run(RANKS, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group, options(divisor))) {
                for (int i = 0; i < steps(group.rank()); i++) {
                    int step = i;
                    ddp.step(() -> loss(model, group.rank(), step)).block();
                    descend(model, 1);
                }
                ddp.finished(() -> descend(model, 1)).block();
                assertThat(ddp.steps()).isEqualTo(steps(RANKS - 1));
                return Models.parameters(model);
            }
        });

        List<float[]> expected = alone(divisor);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(parameters.get(0).get(i)).containsExactly(expected.get(i), Offset.offset(1e-6f));
        }
        assertThat(parameters.get(1)).usingRecursiveComparison().isEqualTo(parameters.get(0));
        assertThat(parameters.get(2)).usingRecursiveComparison().isEqualTo(parameters.get(0));
    }

    /** The part of rank 0, which has no inputs. */
    private interface Finishing {

        void run(Branches model, DistributedDataParallel ddp) throws Exception;
    }

    /** Rank 0 aborts the group after its part. Rank 1 has one step, and its second one fails. */
    private static void duringOneStepOfRank1(Finishing ofRank0) throws Exception {
        List<Integer> ended = Ranks.run(2, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group, options(Divisor.WORLD_SIZE))) {
                if (group.rank() == 0) {
                    ofRank0.run(model, ddp);
                    group.abort("rank 0 has no part in further steps");
                } else {
                    ddp.step(() -> loss(model, 1, 0)).block();
                    assertThatThrownBy(() -> ddp.step(() -> loss(model, 1, 1)).block())
                            .isInstanceOf(CommException.class);
                }
                return group.rank();
            }
        });

        assertThat(ended).containsExactly(0, 1);
    }

    @Test
    void optimizerThatThrows_endsItsRanksPart_andFailsTheOthers() throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        duringOneStepOfRank1((model, ddp) -> assertThatThrownBy(() -> ddp.finished(() -> {
                            rounds.incrementAndGet();
                            throw new IllegalStateException("planted");
                        })
                        .block())
                .hasMessage("planted"));

        assertThat(rounds).hasValue(1);
    }

    @Test
    void cancelling_endsTheThread_andPermitsPassesAgain() throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        duringOneStepOfRank1((model, ddp) -> {
            Disposable.Swap subscription = Disposables.swap();
            Thread waits = new Thread(() -> ddp.finished(() -> {
                        rounds.incrementAndGet();
                        subscription.dispose();
                    })
                    .doOnSubscribe(each -> subscription.replace(each::cancel))
                    .subscribe());
            waits.start();
            waits.join(Duration.ofSeconds(30));
            assertThat(waits.isAlive()).isFalse();
            ddp.noSync(() -> loss(model, 0, 0).backward());
        });

        assertThat(rounds).hasValue(1);
    }

    @Test
    void wrongUse_isRefused() throws Exception {
        Ranks.run(1, group -> {
            try (DistributedDataParallel even = DistributedDataParallel.of(model(), group)) {
                assertThatThrownBy(() -> even.finished(() -> {}))
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("withUnevenInputs");
            }
            assertThatThrownBy(() -> DistributedDataParallel.of(
                            Models.filled(new Normalized(), 0), group, options(Divisor.ACTIVE_RANKS)))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("withBufferBroadcast(false)");
            return null;
        });
    }

    @Test
    void stepAfterTheLastRound_isAStepAgain_butNotBeforeSumsAreReduced() throws Exception {
        Ranks.run(1, group -> {
            Branches model = model();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group, options(Divisor.WORLD_SIZE))) {
                ddp.noSync(() -> loss(model, 0, 0).backward());
                assertThatThrownBy(() -> ddp.finished(() -> {}).block())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("noSync");
                ddp.step(() -> loss(model, 0, 0)).block();
                ddp.finished(() -> {}).block();
                ddp.step(() -> loss(model, 0, 0)).block();
                assertThat(ddp.steps()).isEqualTo(2);
                return null;
            }
        });
    }
}
