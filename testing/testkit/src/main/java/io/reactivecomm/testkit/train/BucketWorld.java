package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The base of the contracts of gradient buckets: models, one set of buckets for each rank, and steps on all ranks. */
public abstract class BucketWorld extends WorldContract {

    /** Small enough that models of a few elements have several buckets. */
    protected static final BucketOptions SMALL =
            BucketOptions.DEFAULT.withBucketBytes(64).withFirstBucketBytes(16);

    /** Ranks keep what they make on threads of their own. */
    private final Queue<AutoCloseable> open = new ConcurrentLinkedQueue<>();

    @AfterEach
    final void closeBucketsAndTensors() throws Exception {
        // One that fails to close is not closed again after the next case, which would fail, too.
        for (AutoCloseable each = open.poll(); each != null; each = open.poll()) {
            each.close();
        }
    }

    /** {@return that, which is closed after the case} On any thread. */
    protected final <T extends AutoCloseable> T kept(T resource) {
        open.add(resource);
        return resource;
    }

    /** {@return so many parameters of one type, of 0, 3, 6, … elements, named by their places} */
    protected final List<Parameter> model(int size, DType... types) {
        return IntStream.range(0, size)
                .mapToObj(i -> new Parameter("layer" + i, types[i % types.length], home().device(i), 3L * i))
                .toList();
    }

    /** {@return what a rank's backward pass makes of that model} */
    protected final List<Gradient> gradients(List<Parameter> model, int rank) {
        List<Gradient> gradients = new ArrayList<>();
        for (int i = 0; i < model.size(); i++) {
            Parameter parameter = model.get(i);
            Tensor tensor = Tensor.allocate(parameter.type(), parameter.count());
            Inputs.fill(tensor.segment(), parameter.type(), i, rank);
            gradients.add(new Gradient(parameter.name(), kept(home().take(tensor, parameter.device()))));
        }
        return gradients;
    }

    /** {@return gradients of one element each, of those values} */
    protected final List<Gradient> scalars(float value, String... names) {
        return IntStream.range(0, names.length)
                .mapToObj(i ->
                        new Gradient(names[i], kept(home().take(Tensor.of(new float[] {value}), home().device(i)))))
                .toList();
    }

    /** {@return the parameters that those gradients belong to} */
    protected static List<Parameter> parameters(List<Gradient> gradients) {
        return gradients.stream()
                .map(each -> new Parameter(
                        each.name(),
                        each.tensor().type(),
                        each.tensor().device(),
                        each.tensor().shape()))
                .toList();
    }

    protected static <T> List<T> shuffled(List<T> list, long seed) {
        List<T> other = new ArrayList<>(list);
        Collections.shuffle(other, new Random(seed));
        return other;
    }

    /** {@return buckets for each rank, closed after the case} */
    protected final List<GradientBuckets> buckets(
            List<ProcessGroup> groups, Function<ProcessGroup, GradientBuckets> making) {
        return groups.stream().map(group -> kept(making.apply(group))).toList();
    }

    /** The end of a step on one rank. */
    protected record Ended(List<Gradient> results, @Nullable Throwable error) {

        public List<String> names() {
            return results.stream().map(Gradient::name).toList();
        }

        public void requireSuccess() {
            assertThat(error).isNull();
        }
    }

    /** {@return how a step ends} */
    private static Mono<Ended> ended(Flux<Gradient> step) {
        List<Gradient> results = Collections.synchronizedList(new ArrayList<>());
        return step.doOnNext(results::add)
                .then(Mono.fromSupplier(() -> new Ended(results, null)))
                .onErrorResume(error -> Mono.just(new Ended(results, error)));
    }

    /** {@return how a step ends that is subscribed to now} */
    protected static Mono<Ended> begun(Flux<Gradient> step) {
        Mono<Ended> end = ended(step).cache();
        end.subscribe();
        return end;
    }

    protected static Ended await(Mono<Ended> begun) {
        return Objects.requireNonNull(begun.block(LIMIT));
    }

    /** Runs a step on all ranks at once. {@return how it ended on each} */
    protected static List<Ended> steps(int ranks, Function<Integer, Flux<Gradient>> step) {
        return Objects.requireNonNull(Flux.range(0, ranks)
                .flatMapSequential(rank -> ended(step.apply(rank)), ranks)
                .collectList()
                .block(LIMIT));
    }

    /** Requires that no call and no step borrows those tensors any more. */
    protected static void requireReleased(List<Gradient> gradients) {
        gradients.forEach(each ->
                assertThat(each.tensor().released().toFuture()).as(each.name()).isDone());
    }

    /** Waits until no call and no step borrows those tensors any more: where a library cannot be stopped, a call that fails may end before that. */
    protected static void awaitReleased(List<Gradient> gradients) {
        gradients.forEach(each -> each.tensor().released().block(LIMIT));
    }

    protected static byte[] bytes(Tensor tensor) {
        return tensor.view(DType.UINT8, tensor.byteSize()).toByteArray();
    }

    /** {@return the group, which counts how often memory is allocated for it} */
    protected static ProcessGroup counting(ProcessGroup group, AtomicInteger allocations) {
        return (ProcessGroup) Proxy.newProxyInstance(
                ProcessGroup.class.getClassLoader(),
                new Class<?>[] {ProcessGroup.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("allocate")) {
                        allocations.incrementAndGet();
                    }
                    try {
                        return method.invoke(group, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
