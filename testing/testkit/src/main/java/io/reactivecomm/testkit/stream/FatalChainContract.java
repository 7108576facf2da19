package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLeaks;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A fatal error where user code stands between two calls of one publisher, or behind its result. It breaks the chain of operators that
 * would have told the subscriber, who hears of it all the same.
 */
public abstract class FatalChainContract extends WorldContract {

    private static final String TEXT = "as thrown by the machine";

    /** What a fatal error leaves open is for the collector: after it nobody promises more. */
    @BeforeEach
    final void watchNoTensors() {
        TensorLeaks.watch(TensorLeaks.Level.OFF);
    }

    /** Those that tell of results on the loop. */
    final Stream<Subject> subjects() {
        return Subjects.all().stream().filter(subject -> subject.onLoop() && subject.fewest() > 0);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @MethodSource("subjects")
    void operatorBehindAResult_thatDies_endsItsPublisher(Subject subject) {
        List<ProcessGroup> world = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Publisher<?> own = subject.call().on(world.get(0), memory);
            Publisher<?> other = subject.call().on(world.get(1), memory);
            Publisher<?> dying = own instanceof Mono<?> one
                    ? one.doOnNext(result -> die())
                    : Flux.from(own).doOnNext(result -> die());
            requireToldOfDeath(world, Flux.from(dying), Flux.from(other));
        }
    }

    private static void die() {
        throw new OutOfMemoryError(TEXT);
    }

    @Test
    void codec_thatDies_endsItsPublisher() {
        List<ProcessGroup> world = world(2);
        ObjectCodec<String> codec = new ObjectCodec<>() {
            @Override
            public byte[] encode(String value) {
                return value.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                throw new OutOfMemoryError(TEXT);
            }
        };
        requireToldOfDeath(
                world,
                world.get(0).allGatherObject("own", codec).flux(),
                world.get(1).allGatherObject("own", String.class).flux());
    }

    /** It has been read beside the loop. */
    @Test
    void operatorBehindALargeObject_thatDies_endsItsPublisher() {
        List<ProcessGroup> world = world(2);
        String large = "a".repeat(300_000);
        requireToldOfDeath(
                world,
                world.get(0)
                        .allGatherObject(large, String.class)
                        .doOnNext(all -> die())
                        .flux(),
                world.get(1).allGatherObject(large, String.class).flux());
    }

    /** Nor does one that is read while its group is closed keep its subscriber waiting. */
    @Test
    void codecOfLargeObjects_thatDiesBehindTheGroupsEnd_endsItsPublisher() {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Void> reading = new CompletableFuture<>();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        ObjectCodec<String> codec = new ObjectCodec<>() {
            @Override
            public byte[] encode(String value) {
                return value.getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                reading.complete(null);
                closed.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
                throw new OutOfMemoryError(TEXT);
            }
        };
        String large = "a".repeat(300_000);
        CompletableFuture<Throwable> own =
                error(world.get(0).allGatherObject(large, codec).flux());
        world.get(1).allGatherObject(large, String.class).subscribe(all -> {}, error -> {});
        reading.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        world.get(0).close();
        closed.complete(null);
        assertThat(told(own)).hasMessageContaining(TEXT);
    }

    @Test
    void operatorOfObjects_thatDies_endsItsPublisher() {
        List<ProcessGroup> world = world(2);
        requireToldOfDeath(
                world,
                world.get(0)
                        .reduceObject(
                                "own",
                                0,
                                (left, right) -> {
                                    throw new OutOfMemoryError(TEXT);
                                },
                                String.class)
                        .flux(),
                world.get(1)
                        .reduceObject("own", 0, String::concat, String.class)
                        .flux());
    }

    @ParameterizedTest(name = "at {0}")
    @ValueSource(ints = {0, 1, 40})
    void sourceOfAStream_thatDies_endsIt(int at) {
        List<ProcessGroup> world = world(2);
        Flux<Tensor> source = Flux.range(0, 100).map(i -> {
            if (i == at) {
                die();
            }
            return Tensor.of(new int[] {i});
        });
        requireToldOfDeath(
                world, world.get(0).sendAll(source, 1, 0), world.get(1).receiveAll(0, 0));
    }

    /** Off the loop it ends the stream alone. */
    @Test
    void sourceOfAStream_thatDiesElsewhere_endsIt_andNothingElse() {
        List<ProcessGroup> world = world(2);
        AtomicReference<Subscription> asking = new AtomicReference<>();
        CompletableFuture<Throwable> sending = new CompletableFuture<>();
        Flux<Tensor> source = Flux.range(0, 9).map(i -> {
            die();
            return Tensor.of(new int[] {i});
        });
        world.get(0).sendAll(source, 1, 0).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                asking.set(subscription);
            }

            @Override
            protected void hookOnError(Throwable error) {
                sending.complete(error);
            }
        });
        CompletableFuture<Throwable> receiving = error(world.get(1).receiveAll(0, 0));
        // The credit has come by now.
        StreamEnds.settle(world);

        assertThatThrownBy(() -> asking.get().request(1)).isInstanceOf(OutOfMemoryError.class);
        assertThat(told(sending)).isInstanceOf(OutOfMemoryError.class);
        assertThat(told(receiving)).hasMessageContaining(TEXT);
        world.forEach(group -> begin(group.barrier()));
        StreamEnds.settle(world);
    }

    /** The peer comes last: what it sends finds this thread gone, so that it is the loop that meets the error. */
    private static void requireToldOfDeath(List<ProcessGroup> world, Flux<?> own, Flux<?> other) {
        List<CompletableFuture<Throwable>> ends =
                world.stream().map(group -> error(group.ended().flux())).toList();
        CompletableFuture<Throwable> fate = error(own);
        other.subscribe(result -> {}, error -> {});
        assertThat(told(fate))
                .isInstanceOfAny(OutOfMemoryError.class, GroupClosedException.class)
                .hasMessageContaining(TEXT);
        ends.forEach(end ->
                assertThat(told(end)).isInstanceOf(GroupClosedException.class).hasMessageContaining(TEXT));
    }

    /** {@return how it fails} */
    private static CompletableFuture<Throwable> error(Flux<?> subject) {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        subject.subscribe(result -> {}, told::complete, () -> told.complete(new AssertionError("it has completed")));
        return told;
    }

    private static Throwable told(CompletableFuture<Throwable> error) {
        return error.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }
}
