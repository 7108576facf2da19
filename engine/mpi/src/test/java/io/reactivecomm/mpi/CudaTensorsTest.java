package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.NeedsGcc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Calls of device tensors: long tensors, readiness, errors, cancellation, and the release of memory after each. */
@ExtendWith(NeedsGcc.class)
class CudaTensorsTest {

    private static final Device GPU = new Device("cuda", 0);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Elements that need several pinned blocks of 2 MiB. */
    private static final int LONG = 1_500_000;

    /** Elements of a call that is too large for the loop and goes to the worker. */
    private static final int SOME = 5_000;

    /** A world of two ranks, each with a tensor on the device. */
    private record Pair(CudaWorlds.Ranks ranks, List<Tensor> tensors) implements AutoCloseable {

        static Pair open(String engine, int count) {
            CudaWorlds.Ranks ranks = CudaWorlds.Ranks.open(2, engine);
            return new Pair(
                    ranks,
                    ranks.groups().stream()
                            .map(group -> group.allocate(GPU, DType.FLOAT32, count))
                            .toList());
        }

        /** Enqueues the fill of each rank's tensor with its rank plus one, and does not wait for it. */
        List<Tensor> fill() {
            List<Tensor> sources = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
                float[] values = new float[(int) tensors.get(rank).count()];
                Arrays.fill(values, rank + 1);
                sources.add(Tensor.of(values));
                ranks.groups().get(rank).move(List.of(Move.copy(sources.get(rank), tensors.get(rank))));
            }
            return sources;
        }

        CompletableFuture<List<Work>> call(BiFunction<ProcessGroup, Tensor, Mono<Work>> call) {
            return Mono.zip(
                            call.apply(ranks.groups().get(0), tensors.get(0)),
                            call.apply(ranks.groups().get(1), tensors.get(1)))
                    .map(both -> List.of(both.getT1(), both.getT2()))
                    .toFuture();
        }

        void requireAll(float value) {
            for (Tensor tensor : tensors) {
                float[] wanted = new float[(int) tensor.count()];
                Arrays.fill(wanted, value);
                assertThat(Arrays.mismatch(tensor.toFloatArray(), wanted)).isEqualTo(-1);
            }
        }

        @Override
        public void close() {
            tensors.forEach(Tensor::close);
            ranks.close();
        }
    }

    private static CompletableFuture<List<Work>> sum(Pair pair) {
        return pair.call((group, tensor) -> group.allReduce(tensor, ReduceOp.SUM));
    }

    private static List<Work> ended(CompletableFuture<List<Work>> calls) {
        return Mono.fromFuture(calls).block(LIMIT);
    }

    @ParameterizedTest
    @CsvSource({"mpi-staged, false", "mpi-direct, true", "mpi-off, false"})
    void longTensor_isSummed_byTheWayOfItsEngine(String engine, boolean isDirect) {
        long pinned = CudaDouble.JVM.held(CudaDouble.Held.PINNED);
        try (Pair pair = Pair.open(engine, LONG)) {
            List<Tensor> sources = pair.fill();
            assertThat(ended(sum(pair))).extracting(Work::backend).containsOnly(engine);
            pair.requireAll(3);
            assertThat(pair.ranks().meeting().deviceCalls() > 0).isEqualTo(isDirect);
            sources.forEach(Tensor::close);
        }
        assertThat(CudaDouble.JVM.held(CudaDouble.Held.PINNED))
                .as("pinned blocks")
                .isLessThanOrEqualTo(pinned);
    }

    /** The host divides an average, and cannot access device memory. */
    @Test
    void average_isStaged_whereMpiTakesAddresses() {
        try (Pair pair = Pair.open(CudaWorlds.DIRECT, SOME)) {
            List<Tensor> sources = pair.fill();
            ended(pair.call((group, tensor) -> group.allReduce(tensor, ReduceOp.AVG)));
            pair.requireAll(1.5f);
            assertThat(pair.ranks().meeting().deviceCalls()).isZero();
            sources.forEach(Tensor::close);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {CudaWorlds.STAGED, CudaWorlds.DIRECT})
    void call_followsWhatIsEnqueuedOnItsTensor_andHoldsNoLoop(String engine) {
        try (Pair pair = Pair.open(engine, SOME)) {
            pair.requireAll(0);
            CudaDouble.JVM.hold(0, true);
            List<Tensor> sources = pair.fill();
            CompletableFuture<List<Work>> calls = sum(pair);
            // A later call of host tensors ends while the device is held.
            ranksBarrier(pair);
            assertThat(calls).isNotDone();
            CudaDouble.JVM.hold(0, false);
            ended(calls);
            pair.requireAll(3);
            sources.forEach(Tensor::close);
        }
    }

    private static void ranksBarrier(Pair pair) {
        Mono.when(pair.ranks().groups().stream().map(ProcessGroup::barrier).toList())
                .block(LIMIT);
    }

    /** Buckets make such calls after their packing. */
    @Test
    void enqueuedCall_endsWithItsResult() {
        try (Pair pair = Pair.open(CudaWorlds.STAGED, SOME)) {
            List<Tensor> sources = pair.fill();
            ended(pair.call((group, tensor) -> group.enqueued().allReduce(tensor, ReduceOp.SUM)));
            pair.requireAll(3);
            sources.forEach(Tensor::close);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, SOME})
    void deviceThatFails_isAnErrorOnAllRanks_andNothingIsLeft(int count) {
        try (Pair pair = Pair.open(CudaWorlds.STAGED, count)) {
            List<Tensor> sources = pair.fill();
            Mono.when(pair.tensors().stream()
                            .map(Tensor::readiness)
                            .filter(each -> each != null)
                            .toList())
                    .block(LIMIT);
            CudaDouble.JVM.fail("cuMemcpyDtoHAsync", 1, 0, 1);
            assertThatThrownBy(() -> ended(sum(pair))).isInstanceOf(CommException.class);
            sources.forEach(Tensor::close);
            pair.tensors().forEach(tensor -> tensor.released().block(LIMIT));
        }
    }

    /** The other rank would receive what was in the tensor before, and would not know. */
    @ParameterizedTest
    @CsvSource({"mpi-staged, 10", "mpi-staged, 5000", "mpi-direct, 5000"})
    void moveThatFails_failsTheCallThatReadsItsTensor_onAllRanks(String engine, int count) {
        try (Pair pair = Pair.open(engine, count)) {
            pair.requireAll(0);
            CudaDouble.JVM.fail("cuMemcpyHtoDAsync", 1, 0, 1);
            List<Tensor> sources = pair.fill();
            List<Throwable> failures = pair.ranks().groups().stream()
                    .map(group -> group.allReduce(pair.tensors().get(group.rank()), ReduceOp.SUM)
                            .then(Mono.<Throwable>empty())
                            .onErrorResume(Mono::just)
                            .toFuture())
                    .toList()
                    .stream()
                    .map(end -> Mono.fromFuture(end).block(LIMIT))
                    .toList();
            assertThat(failures)
                    .hasSize(2)
                    .allSatisfy(each -> assertThat(each)
                            .isInstanceOf(CommException.class)
                            .hasMessageContaining("cuMemcpyHtoDAsync"));
            sources.forEach(Tensor::close);
        }
    }

    @ParameterizedTest
    @CsvSource({"mpi-staged, 10", "mpi-staged, 5000", "mpi-direct, 5000"})
    void tensorWhoseMoveFailed_isReadAgain_onceACallHasWrittenIt(String engine, int count) {
        try (Pair pair = Pair.open(engine, count)) {
            failMoveOfRankOne(pair);
            ended(pair.call((group, tensor) -> group.broadcast(tensor, 0)));
            pair.requireAll(0);
            failMoveOfRankOne(pair);
            ended(pair.call(
                    (group, tensor) -> group.rank() == 0 ? group.send(tensor, 1, 0) : group.receive(tensor, 0, 0)));
            pair.requireAll(0);
        }
    }

    private static void failMoveOfRankOne(Pair pair) {
        CudaDouble.JVM.fail("cuMemcpyHtoDAsync", 1, 0, 1);
        Tensor written = pair.tensors().get(1);
        try (Tensor source = Tensor.allocate(DType.FLOAT32, written.count())) {
            Mono<Void> move = pair.ranks()
                    .groups()
                    .get(1)
                    .move(List.of(Move.copy(source, written)))
                    .completed();
            assertThatThrownBy(() -> move.block(LIMIT)).hasMessageContaining("cuMemcpyHtoDAsync");
        }
        assertThatThrownBy(written::toFloatArray).hasMessageContaining("cuMemcpyHtoDAsync");
    }

    @Test
    void cancelledCalls_giveTheirTensorsBack() {
        try (Pair pair = Pair.open(CudaWorlds.STAGED, SOME)) {
            pair.requireAll(0);
            CudaDouble.JVM.hold(0, true);
            List<Disposable> calls = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
                calls.add(pair.ranks()
                        .groups()
                        .get(rank)
                        .allReduce(pair.tensors().get(rank), ReduceOp.SUM)
                        .subscribe());
            }
            calls.forEach(Disposable::dispose);
            CudaDouble.JVM.hold(0, false);
            Mono.when(pair.tensors().stream().map(Tensor::released).toList()).block(LIMIT);
            List<Tensor> sources = pair.fill();
            ended(sum(pair));
            pair.requireAll(3);
            sources.forEach(Tensor::close);
        }
    }

    /** An engine without a device in the choice serves the devices that no other entry names. */
    @Test
    void engineWithoutADevice_isChosenForThoseThatAreNotNamed() {
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend("cpu:links," + CudaWorlds.STAGED);
        try (LocalWorld world = ReactiveComm.local(1, settings)) {
            assertThat(world.groups().getFirst().backend(Device.CPU)).isEqualTo("links");
            assertThat(world.groups().getFirst().backend(GPU)).isEqualTo(CudaWorlds.STAGED);
        }
        DoubleMeeting.taken().forEach(DoubleMeeting::settle);
        CudaWorlds.OPENED.clear();
    }

    @Test
    void library_isAskedWhetherItTakesAddresses() {
        try (DoubleRanks ranks = DoubleRanks.begin(DoubleDialect.OPEN_MPI, 1)) {
            ranks.run(rank -> assertThat(rank.setup().claimsCuda()).isFalse())
                    .forEach(failure -> assertThat(failure).isNull());
            ranks.meeting().useCuda(true);
            ranks.run(rank -> assertThat(rank.setup().claimsCuda()).isTrue())
                    .forEach(failure -> assertThat(failure).isNull());
        }
        Path silent = DoubleLibrary.copy(DoubleDialect.OPEN_MPI, "-DMPIX_Query_cuda_support=hidden_function");
        try {
            MpiLibrary library = MpiLibrary.open(Map.of(MpiLibrary.VARIABLE, silent.toString()));
            assertThat(new MpiSetup(library).claimsCuda()).isFalse();
        } finally {
            DoubleProcess.delete(silent);
        }
    }

    @Test
    void variable_thatCannotBeRead_isAnError() {
        assertThat(CudaSetting.isOff("off")).isTrue();
        assertThat(CudaSetting.isOff("auto")).isFalse();
        assertThatThrownBy(() -> CudaSetting.isOff("no"))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageStartingWith("cannot read a setting: RCOMM_MPI_CUDA=no; give off, or auto");
    }
}
