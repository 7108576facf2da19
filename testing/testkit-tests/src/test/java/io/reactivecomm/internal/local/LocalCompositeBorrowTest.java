package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Switched;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GroupWorld;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/** Calls, composite ones above all, to which something happens while they borrow: a tensor of the test's shows it. */
class LocalCompositeBorrowTest extends GroupWorld implements LocalWorlds {

    @Test
    void fluxThatIsCancelledWhileItBorrows_givesItsTensorsBack() {
        List<ProcessGroup> world = world(2);
        Mono<Work> waiting = world.get(0).composite("flux").mono(ProcessGroup::barrier);
        AtomicReference<@Nullable Subscription> given = new AtomicReference<>();
        try (Tensor tensor = Tensor.of(new long[1])) {
            Tensor cancelling = beingKept(tensor, () -> {
                Objects.requireNonNull(given.get()).cancel();
                // By then rank 1 has taken in all that it was asked before.
                requireTogether(world);
            });
            world.get(1)
                    .composite("flux")
                    .borrowing(List.of(cancelling))
                    .flux(ProcessGroup::barrier)
                    .subscribe(new BaseSubscriber<>() {
                        @Override
                        protected void hookOnSubscribe(Subscription subscription) {
                            given.set(subscription);
                            subscription.request(1);
                        }
                    });
            tensor.released().block(LIMIT);
        }
        assertThatThrownBy(() -> waiting.block(LIMIT))
                .isInstanceOf(GroupClosedException.class)
                .hasMessageContaining("was cancelled");
    }

    static Stream<Throwable> thrown() {
        return Stream.of(
                new IllegalStateException("planted"),
                new IOException("planted"),
                new InternalError("planted"),
                new OutOfMemoryError("planted"),
                new Error("planted"));
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void tensorThatThrowsAsItIsBorrowed_failsTheCompositeOnAll(Throwable planted) {
        List<ProcessGroup> world = world(2);
        try (Tensor tensor = Tensor.of(new long[1])) {
            Tensor throwing = ThrowingTensor.borrowed(tensor, planted);
            Mono<Work> culprit =
                    world.get(1).composite("sum").borrowing(List.of(throwing)).mono(ProcessGroup::barrier);
            Mono<Work> waiting = world.get(0).composite("sum").mono(ProcessGroup::barrier);
            assertThatThrownBy(() -> culprit.block(LIMIT)).hasMessageContaining("planted");
            assertThatThrownBy(() -> waiting.block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("planted");
        }
    }

    /** The tensor's error comes first. The context's error, as the run begins after it, is suppressed in it. */
    @Test
    void tensorThatThrows_whereTheRunCannotBeginEither_isTheErrorOnAll() {
        List<ProcessGroup> world = world(2);
        try (Tensor tensor = Tensor.of(new long[1])) {
            Tensor throwing = beingKept(tensor, () -> {
                throw new IllegalStateException("planted");
            });
            Mono<Work> culprit = world.get(1)
                    .composite("sum")
                    .borrowing(List.of(throwing))
                    .mono(ProcessGroup::barrier)
                    .contextWrite(context -> context.put(Switched.class, "no view"));
            Mono<Work> waiting = world.get(0).composite("sum").mono(ProcessGroup::barrier);
            assertThatThrownBy(() -> culprit.block(LIMIT)).satisfies(error -> {
                assertThat(error).isInstanceOf(IllegalStateException.class).hasMessage("planted");
                assertThat(error.getSuppressed()).hasAtLeastOneElementOfType(ClassCastException.class);
            });
            assertThatThrownBy(() -> waiting.block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("planted");
        }
    }

    /** {@return a tensor that does something while it is lent to a composite call} */
    private static Tensor beingKept(Tensor tensor, Runnable meanwhile) {
        return (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(tensor, arguments);
                    if (method.getName().equals("keep")) {
                        meanwhile.run();
                    }
                    return result;
                });
    }
}
