package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.device.FakeHome;
import io.reactivecomm.testkit.device.FakeMemory;
import io.reactivecomm.testkit.device.FakeThread;
import io.reactivecomm.testkit.train.BucketWorld;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Steps whose gradients are on several devices, which each rank counts for itself. */
class MixedBucketTest extends BucketWorld implements FakeWorlds {

    private static final BucketOptions SUMS =
            BucketOptions.DEFAULT.withBucketBytes(16).withFirstBucketBytes(8).withScaling(Scaling.SUM);

    /** {@return two elements each, on those devices; -1 is the host} */
    private List<Gradient> gradients(float value, int... devices) {
        List<Gradient> gradients = new ArrayList<>();
        for (int device : devices) {
            Device at = device < 0 ? Device.CPU : FakeMemory.device(device);
            Tensor values = Tensor.of(new float[] {value, 2 * value});
            gradients.add(new Gradient("g" + gradients.size(), kept(FakeHome.ONE.take(values, at))));
        }
        return gradients;
    }

    private List<Ended> step(List<List<Gradient>> gradients, boolean isRegistered) {
        List<ProcessGroup> groups = world(gradients.size());
        List<GradientBuckets> buckets = buckets(groups, group -> {
            GradientBuckets learning = GradientBuckets.of(group, SUMS);
            return isRegistered ? learning.registered(parameters(gradients.get(group.rank()))) : learning;
        });
        return steps(
                gradients.size(), rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ranksWithOtherDevices_ofWhichTheSameGradientsShareOne_haveTheSameBuckets(boolean isRegistered) {
        List<List<Gradient>> gradients = List.of(
                gradients(1, 0, -1, 1, 0, -1, 1, 0),
                gradients(10, 2, -1, 0, 2, -1, 0, 2),
                gradients(100, 1, -1, 2, 1, -1, 2, 1));
        step(gradients, isRegistered).forEach(end -> assertThat(end.error()).isNull());
        gradients.forEach(all ->
                all.forEach(each -> assertThat(each.tensor().toFloatArray()).containsExactly(111, 222)));
        gradients.forEach(BucketWorld::requireReleased);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ranksOnWhichOtherGradientsShareADevice_areToldWhichDiffers(boolean isRegistered) {
        List<Ended> ends = step(List.of(gradients(1, 0, 0, 1), gradients(10, 0, 1, 1)), isRegistered);
        assertThat(ends)
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining(
                                "parameter 1: g1 FLOAT32[2] on fake:0 on rank 0, g1 FLOAT32[2] on fake:1 on rank 1"));
    }

    @Test
    void gradient_thatCameOnAnotherDeviceThanItWasRegisteredFor_isRefused() {
        List<ProcessGroup> groups = world(1);
        GradientBuckets buckets = kept(
                GradientBuckets.of(groups.getFirst(), SUMS).registered(List.of(new Parameter("g0", DType.FLOAT32, 2))));
        List<Ended> ends = steps(1, rank -> Flux.fromIterable(gradients(1, 0)).transform(buckets));
        assertThat(ends.getFirst().error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("FLOAT32[2] on fake:0")
                .hasMessageContaining("is not what was registered");
    }

    @Test
    void gradientsOfAllDevices_thatDoNotComeOnOneRank_countAsZeros() {
        List<List<Gradient>> gradients = List.of(gradients(1, 0, -1, 0, -1, 2, 2), gradients(10, 0, -1, 0, -1, 2, 2));
        List<ProcessGroup> groups = world(2);
        List<GradientBuckets> buckets = buckets(
                groups, group -> GradientBuckets.of(group, SUMS).registered(parameters(gradients.get(group.rank()))));
        steps(
                        2,
                        rank -> Flux.fromIterable(
                                        rank == 0
                                                ? gradients.get(0)
                                                : gradients.get(1).subList(0, 1))
                                .transform(buckets.get(rank)))
                .forEach(end -> assertThat(end.error()).isNull());
        assertThat(gradients.getFirst().getFirst().tensor().toFloatArray()).containsExactly(11, 22);
        IntStream.range(1, 6)
                .forEach(i -> assertThat(gradients.getFirst().get(i).tensor().toFloatArray())
                        .as("g%d", i)
                        .containsExactly(1, 2));
    }

    @Test
    void packingCallAndUnpacking_areEnqueued_beforeTheDeviceHasDoneAnyOfThem() throws InterruptedException {
        List<List<Gradient>> gradients = List.of(gradients(1, 0, 0, 0, 0), gradients(10, 0, 0, 0, 0));
        List<ProcessGroup> groups = world(2);
        // Two buckets of two gradients on each of two ranks, packed and unpacked.
        CountDownLatch lists = new CountDownLatch(8);
        List<GradientBuckets> buckets = buckets(
                groups,
                group -> GradientBuckets.of(moving(group, lists), SUMS.withFirstBucketBytes(16))
                        .registered(parameters(gradients.get(group.rank()))));
        List<Mono<Ended>> ends;
        try (FakeThread.Pause pause = FakeThread.pause()) {
            ends = Stream.of(0, 1)
                    .map(rank -> begun(Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank))))
                    .toList();
            assertThat(lists.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        }
        ends.forEach(end -> assertThat(await(end).error()).isNull());
        gradients.forEach(all ->
                all.forEach(each -> assertThat(each.tensor().toFloatArray()).containsExactly(11, 22)));
    }

    /** {@return the group, which counts the lists that it has enqueued} */
    private static ProcessGroup moving(ProcessGroup group, CountDownLatch lists) {
        return (ProcessGroup) Proxy.newProxyInstance(
                ProcessGroup.class.getClassLoader(),
                new Class<?>[] {ProcessGroup.class},
                (proxy, method, arguments) -> {
                    Object result = method.invoke(group, arguments);
                    if (method.getName().equals("move")) {
                        lists.countDown();
                    }
                    return result;
                });
    }
}
