package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CompositeCall;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Switched;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Steps and composite calls in whose opening something throws on one rank, which all ranks hear of. */
class StepOpeningTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static ProcessGroup throwing(ProcessGroup group, AtomicBoolean throwsNow, String method, Throwable thrown) {
        return (ProcessGroup) Proxy.newProxyInstance(
                StepOpeningTest.class.getClassLoader(),
                new Class<?>[] {ProcessGroup.class, Switched.class},
                (proxy, called, arguments) -> {
                    if (called.getName().equals(method) && throwsNow.getAndSet(false)) {
                        throw thrown;
                    }
                    try {
                        return called.invoke(group, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void requireStepsFail(Function<ProcessGroup, GradientHook> hooks, Throwable thrown) {
        try (LocalWorld world = ReactiveComm.local(2)) {
            AtomicBoolean throwsNow = new AtomicBoolean();
            List<GradientHook> both = List.of(
                    hooks.apply(world.groups().get(0)),
                    hooks.apply(throwing(world.groups().get(1), throwsNow, "kept", thrown)));
            step(both).forEach(end -> assertThat(end).isNull());
            throwsNow.set(true);
            List<Throwable> ends = step(both);
            assertThat(ends.get(0)).isInstanceOf(InvalidCallException.class).hasMessageContaining("planted");
            assertThat(ends.get(1)).hasMessageContaining("planted");
            step(both).forEach(end -> assertThat(end).isNull());
        }
    }

    private static List<Throwable> step(List<GradientHook> hooks) {
        List<CompletableFuture<Void>> ends = hooks.stream()
                .map(hook -> Flux.just(new Gradient("w", Tensor.of(new float[] {1})))
                        .transform(GradientHooks.of(hook))
                        .then()
                        .toFuture())
                .toList();
        return ends.stream().map(StepOpeningTest::end).toList();
    }

    private static Throwable end(CompletableFuture<Void> end) {
        Throwable error = catchThrowable(
                () -> end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join());
        return error == null ? null : error.getCause();
    }

    @Test
    void groupThatThrows_asAStepOfBucketsIsOpened_failsTheStepOnAllRanks() {
        requireStepsFail(group -> GradientBuckets.sum(group), new ClassCastException("planted"));
    }

    @Test
    void groupThatThrowsAnError_asAStepOfBucketsIsOpened_failsTheStepOnAllRanks() {
        requireStepsFail(group -> GradientBuckets.sum(group), new NoClassDefFoundError("planted"));
    }

    @Test
    void groupThatThrows_asAStepOfAHookIsOpened_failsTheStepOnAllRanks() {
        requireStepsFail(ParallelHooks::dataParallel, new ClassCastException("planted"));
    }

    /** What a program puts in the place of the library's own objects is found as the run begins. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void contextThatCannotBeRead_failsTheCompositeCallOnAllRanks(boolean isFlux) {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<CompletableFuture<Void>> ends = world.groups().stream()
                    .map(group -> run(group.composite("two barriers"), isFlux)
                            .contextWrite(context -> group.rank() == 0 ? context : strange(context))
                            .toFuture())
                    .toList();
            assertThat(end(ends.get(0)))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("ClassCastException");
            assertThat(end(ends.get(1))).isInstanceOf(ClassCastException.class);
            Mono.when(world.groups().stream().map(ProcessGroup::barrier).toList())
                    .block(LIMIT);
        }
    }

    private static Mono<Void> run(CompositeCall call, boolean isFlux) {
        return isFlux
                ? call.flux(ProcessGroup::barrier).then()
                : call.mono(ProcessGroup::barrier).then();
    }

    private static Context strange(Context context) {
        return context.put(Switched.class, "no view");
    }
}
