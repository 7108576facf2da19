package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.ResultOrder;
import io.reactivecomm.train.Scaling;
import java.lang.reflect.Proxy;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of gradient buckets with what is wrong: who is told what, and that nothing is kept. */
public abstract class BucketFaultContract extends BucketWorld {

    private final List<Parameter> three =
            List.of(parameter(0, "a", DType.FLOAT32, 1), parameter(1, "b", DType.FLOAT32, 1), third(DType.FLOAT32, 1));

    private static final BucketOptions ALONE = SMALL.withBucketBytes(4);

    private Parameter parameter(int place, String name, DType type, long count) {
        return new Parameter(name, type, home().device(place), count);
    }

    private Parameter third(DType type, long count) {
        return parameter(2, "c", type, count);
    }

    private List<GradientBuckets> registered(List<ProcessGroup> groups) {
        return buckets(groups, group -> GradientBuckets.of(group, ALONE).registered(three));
    }

    private List<Gradient> sound() {
        return scalars(1, "a", "b", "c");
    }

    private void requireStep(List<GradientBuckets> buckets) {
        List<List<Gradient>> gradients =
                buckets.stream().map(ignored -> sound()).toList();
        steps(buckets.size(), rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);
    }

    final Stream<Arguments> differences() {
        List<Parameter> swapped = List.of(three.get(1), three.get(0), three.get(2));
        List<Parameter> longer = List.of(three.get(0), three.get(1), third(DType.FLOAT32, 5));
        List<Parameter> wider = List.of(three.get(0), three.get(1), third(DType.FLOAT64, 1));
        return Stream.of(
                Arguments.of(
                        swapped,
                        ALONE,
                        List.of("parameter 0", three.get(0) + " on ranks [0, 2], " + three.get(1) + " on rank 1")),
                Arguments.of(longer, ALONE, List.of("parameter 2", "c FLOAT32[1]", "c FLOAT32[5]")),
                Arguments.of(wider, ALONE, List.of("parameter 2", "c FLOAT64[1]")),
                Arguments.of(three.subList(0, 2), ALONE, List.of("parameter 2", "nothing")),
                Arguments.of(three, ALONE.withBucketBytes(3), List.of("bucketBytes=4", "bucketBytes=3")),
                Arguments.of(three, ALONE.withScaling(Scaling.SUM), List.of("scaling=SUM", "scaling=AVERAGE")),
                Arguments.of(three, ALONE.withCommunicationType(DType.BFLOAT16), List.of("BFLOAT16")));
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("differences")
    void registrations_thatDiffer_areOneErrorOnAllRanks(
            List<Parameter> other, BucketOptions options, List<String> texts) {
        List<ProcessGroup> groups = world(3);
        List<GradientBuckets> buckets = buckets(
                groups,
                group -> group.rank() == 1
                        ? GradientBuckets.of(group, options).registered(other)
                        : GradientBuckets.of(group, ALONE).registered(three));
        List<Ended> ends = steps(3, rank -> Flux.<Gradient>empty().transform(buckets.get(rank)));
        ends.forEach(end -> assertThat(end.error())
                .isInstanceOf(MismatchException.class)
                .hasMessageContainingAll(texts.toArray(String[]::new)));
        // The rank that is first to know tells the others, who may not have made the difference out yet, with its place
        // behind it.
        String shortest = ends.stream()
                .map(end -> Objects.requireNonNull(
                        Objects.requireNonNull(end.error()).getMessage()))
                .min(Comparator.comparing(String::length))
                .orElseThrow();
        ends.forEach(end -> assertThat(end.error()).hasMessageStartingWith(shortest));
    }

    @Test
    void firstSteps_thatDiffer_areOneErrorOnAllRanks() {
        List<GradientBuckets> buckets = buckets(world(2), GradientBuckets::average);
        List<List<Gradient>> gradients = List.of(sound(), scalars(1, "c", "a"));
        List<Ended> ends =
                steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
        ends.forEach(end -> assertThat(end.error())
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("parameter 1: " + three.get(1) + " on rank 0, " + three.get(2) + " on rank 1"));
        gradients.forEach(BucketWorld::requireReleased);
        requireStep(buckets);
    }

    @Test
    void rankThatLearns_besideOneThatRegistered_isAnErrorOnBoth() {
        List<GradientBuckets> buckets = buckets(
                world(2),
                group -> group.rank() == 0
                        ? GradientBuckets.average(group)
                        : GradientBuckets.average(group).registered(three));
        List<List<Gradient>> gradients = List.of(sound(), sound());
        List<Ended> ends =
                steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
        ends.forEach(end -> assertThat(end.error())
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("first step shows on rank 0"));
    }

    static Stream<Arguments> wrongGradients() {
        return Stream.of(
                Arguments.of("x", DType.FLOAT32, 1L, "not registered"),
                Arguments.of("a", DType.FLOAT32, 1L, "twice"),
                Arguments.of("b", DType.FLOAT32, 2L, "b FLOAT32[1]"),
                Arguments.of("b", DType.FLOAT64, 1L, "b FLOAT32[1]"));
    }

    @ParameterizedTest
    @MethodSource("wrongGradients")
    void gradient_thatIsWrong_failsTheStep_onAllRanks_andTheNextOneWorks(
            String name, DType type, long count, String text) {
        List<GradientBuckets> buckets = registered(world(3));
        requireStep(buckets);
        List<Gradient> wrong = List.of(
                scalars(1, "a").getFirst(),
                new Gradient(name, kept(home().take(Tensor.allocate(type, count), home().device(0)))));
        List<List<Gradient>> gradients = List.of(sound(), wrong, sound());
        List<Ended> ends =
                steps(3, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));

        assertThat(ends.get(1).error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("name=" + name, "rank=1", text);
        for (Ended end : List.of(ends.get(0), ends.get(2))) {
            assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContainingAll("rank=1", text);
        }
        gradients.forEach(BucketWorld::requireReleased);
        requireStep(buckets);
    }

    @Test
    void gradient_thatComesTwiceInTheFirstStep_failsItOnAllRanks_andTheNextOneLearns() {
        List<GradientBuckets> buckets = buckets(world(2), group -> GradientBuckets.of(group, ALONE));
        List<List<Gradient>> gradients = List.of(scalars(1, "a", "b", "a"), sound());
        List<Ended> ends =
                steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
        ends.forEach(end -> assertThat(end.error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("twice", "name=a"));
        gradients.forEach(BucketWorld::requireReleased);
        requireStep(buckets);
    }

    /** The ranks agree by calls that choose for themselves, and reduce by the algorithm of the view. */
    @Test
    void bucketsOfAView_runItsAlgorithm() {
        List<GradientBuckets> buckets =
                buckets(world(2), group -> GradientBuckets.of(group.algorithm("planted"), ALONE));
        List<List<Gradient>> gradients = List.of(sound(), sound());
        List<Ended> ends =
                steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
        ends.forEach(end -> assertThat(end.error())
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessageContaining("planted"));
        gradients.forEach(BucketWorld::requireReleased);
    }

    @Test
    void gradient_thatIsClosed_isAnError() {
        List<GradientBuckets> buckets = registered(world(1));
        List<Gradient> closed = sound();
        closed.getFirst().tensor().close();
        Ended end = steps(1, rank -> Flux.fromIterable(closed).transform(buckets.get(rank)))
                .getFirst();
        assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContaining("closed");
    }

    @Test
    void backwardPassThatThrows_letsTheBucketsThatHaveBegunEnd_andTellsTheOthers() {
        List<ProcessGroup> groups = world(2);
        List<GradientBuckets> buckets = buckets(
                groups,
                group -> GradientBuckets.of(group, ALONE.withOrder(ResultOrder.PARAMETER))
                        .registered(three));
        requireStep(buckets);
        List<List<Gradient>> gradients = List.of(sound(), sound());
        List<Ended> ends = steps(2, rank -> {
            Flux<Gradient> backward = Flux.fromIterable(gradients.get(rank));
            return (rank == 0
                            ? backward.take(1).concatWith(Flux.error(new IllegalStateException("planted")))
                            : backward)
                    .transform(buckets.get(rank));
        });

        assertThat(ends.get(0).error())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("planted");
        assertThat(ends.get(1).error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("rank=0", "planted");
        // Where rank 1 was told before it had begun the first bucket, that is reduced on none.
        assertThat(ends.get(0).names()).isEqualTo(ends.get(1).names()).isIn(List.of("a"), List.of());
        gradients.forEach(BucketWorld::requireReleased);
        requireStep(buckets);
    }

    @Tag("smoke")
    @Test
    void group_thatIsAborted_failsTheStep() {
        List<ProcessGroup> groups = world(2);
        List<GradientBuckets> buckets = registered(groups);
        requireStep(buckets);
        List<Gradient> gradients = sound();
        Mono<Ended> step = begun(Flux.fromIterable(gradients).transform(buckets.get(0)));
        groups.get(1).abort("planted");
        Ended end = await(step);
        assertThat(end.error()).isInstanceOf(CommException.class).hasMessageContaining("planted");
        awaitReleased(gradients);
    }

    @Test
    void registration_thatCannotBe_isRefusedAtOnce() {
        GradientBuckets buckets = buckets(world(1), GradientBuckets::average).getFirst();
        assertThatThrownBy(() -> buckets.registered(List.of(three.get(0), three.get(0))))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("name=a");
        assertThatThrownBy(() -> buckets.registered(List.of(new Parameter("i", DType.INT32, 1))))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("INT32");
        assertThatThrownBy(buckets::allocate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("register");
        assertThatThrownBy(GradientBuckets.of(world(1).getFirst(), ALONE.withCommunicationType(DType.FLOAT16))
                        .registered(three)::allocate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("FLOAT16");
    }

    @Test
    void stepOfThousandsOfBuckets_thatEndsAtOnce_tellsARankThatBeginsLater() {
        List<ProcessGroup> groups = world(2);
        List<Parameter> model = IntStream.range(0, 3_000)
                .mapToObj(i -> new Parameter("p" + i, DType.FLOAT32, 1))
                .toList();
        List<GradientBuckets> buckets =
                buckets(groups, group -> GradientBuckets.of(group, ALONE).registered(model));
        List<Tensor> tensors = IntStream.range(0, 2)
                .mapToObj(rank -> kept(Tensor.allocate(DType.FLOAT32, model.size())))
                .toList();
        Function<Integer, Flux<Gradient>> whole = rank -> Flux.range(0, model.size())
                .map(i -> new Gradient("p" + i, tensors.get(rank).slice(i, 1)))
                .transform(buckets.get(rank));
        steps(2, whole).forEach(Ended::requireSuccess);

        Ended failed = await(
                begun(Flux.<Gradient>error(new IllegalStateException("planted")).transform(buckets.get(0))));
        assertThat(failed.error()).hasMessage("planted");
        // What rank 0 refused goes before this: rank 1 knows of all of it when it begins.
        Flux.fromIterable(groups)
                .flatMap(group -> group.named("told").barrier(), 2)
                .blockLast(LIMIT);
        Ended late = await(begun(whole.apply(1)));

        assertThat(late.error()).isInstanceOf(InvalidCallException.class).hasMessageContainingAll("rank=0", "planted");
        steps(2, whole).forEach(Ended::requireSuccess);
    }

    @Test
    void stepThatEndsEarly_tellsTheOthersWhereToLook() {
        List<GradientBuckets> buckets = registered(world(2));
        requireStep(buckets);
        List<Gradient> gradients = sound();
        List<Ended> ends = steps(
                2,
                rank -> (rank == 0
                                ? Flux.<Gradient>error(new IllegalStateException("planted"))
                                : Flux.fromIterable(gradients))
                        .transform(buckets.get(rank)));

        assertThat(ends.get(1).error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll(
                        "gradient buckets failed", "planted", "rank=0", "look at that rank's own output")
                .hasMessageNotContainingAny("keep a tensor open", "is closed");
    }

    /** {@return the tensor, which throws that on each of those calls from the n-th on} */
    private static Tensor throwing(Tensor tensor, String name, int n, Throwable thrown) {
        AtomicInteger calls = new AtomicInteger();
        return (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name) && calls.incrementAndGet() >= n) {
                        throw thrown;
                    }
                    return switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        default -> method.invoke(tensor, arguments);
                    };
                });
    }

    @Test
    void tensorThatThrowsAsItIsGivenBack_failsItsStep_andTheNextOneHasItsTurn() {
        List<GradientBuckets> buckets = registered(world(1));
        Tensor tensor = throwing(kept(Tensor.of(new float[1])), "giveBack", 1, new IllegalStateException("planted"));
        Gradient unknown = new Gradient("x", tensor);
        List<Gradient> others = scalars(1, "a");
        Flux<Gradient> pass = Flux.fromIterable(others).concatWith(Flux.just(unknown));
        Ended end = await(begun(pass.transform(buckets.getFirst())));

        assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContaining("not registered");
        requireReleased(others);
        requireStep(buckets);
    }

    @Test
    void fatalError_inTheLastEventOfAStep_endsIt_andTheNextOneHasItsTurn() {
        BucketOptions converted = ALONE.withCommunicationType(DType.BFLOAT16);
        List<GradientBuckets> buckets = buckets(
                world(1),
                group ->
                        GradientBuckets.of(group, converted).registered(List.of(new Parameter("a", DType.FLOAT32, 1))));
        // In the host's memory, wherever others are: once as it is packed, once as its result comes back: after that
        // nothing more happens to the step.
        Tensor tensor = throwing(kept(Tensor.of(new float[1])), "segment", 2, new OutOfMemoryError("planted"));
        Ended end = await(begun(Flux.just(new Gradient("a", tensor)).transform(buckets.getFirst())));

        assertThat(end.error()).isInstanceOf(OutOfMemoryError.class).hasMessage("planted");
        Ended next = await(begun(
                Flux.just(new Gradient("a", kept(Tensor.of(new float[1])))).transform(buckets.getFirst())));
        next.requireSuccess();
    }
}
