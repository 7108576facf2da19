package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.LeakCheck;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Worlds whose engine fails the calls that are out of order, and calls in them: after each case nothing is left. */
abstract class StrictWorlds {

    static final Duration LIMIT = Duration.ofSeconds(30);

    /** All of the case, from whichever thread. */
    private static final Queue<Tensor> MADE = new ConcurrentLinkedQueue<>();

    private LeakCheck leaks;
    private Set<String> openBefore;

    @BeforeEach
    void begin() {
        leaks = LeakCheck.begin();
        openBefore = StrictMeeting.open();
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(StrictMeeting.open())
                .as("worlds that an engine has not left")
                .isSubsetOf(openBefore);
        MADE.forEach(Tensor::close);
        MADE.clear();
        leaks.end(0);
    }

    static LocalWorld world(int size) {
        return world(size, "strict");
    }

    static LocalWorld world(int size, String engine) {
        return ReactiveComm.local(
                size, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend("cpu:" + engine));
    }

    /** {@return such a world, for a contract} */
    static WorldContract.World open(int size) {
        return new Ranks(world(size));
    }

    /** The ranks of one. */
    private record Ranks(LocalWorld world) implements WorldContract.World {

        @Override
        public List<ProcessGroup> groups() {
            return world.groups();
        }

        @Override
        public void close() {
            world.close();
        }
    }

    /** {@return a tensor that is closed after the case, if not before} */
    static Tensor floats(int count, float value) {
        float[] values = new float[count];
        Arrays.fill(values, value);
        Tensor tensor = Tensor.of(values);
        MADE.add(tensor);
        return tensor;
    }

    static Mono<Work> sum(ProcessGroup group, Tensor tensor) {
        return group.allReduce(tensor, ReduceOp.SUM).doFinally(end -> tensor.close());
    }

    /** {@return the error of a call, which is to fail} */
    static Mono<Throwable> error(Mono<?> call) {
        return call.<Throwable>map(work -> new AssertionError("succeeded: " + work))
                .onErrorResume(Mono::just);
    }

    /** {@return what a call comes to, which has been subscribed to once} */
    static <T> Mono<T> begun(Mono<T> call) {
        Mono<T> kept = call.cache();
        kept.subscribe();
        return kept;
    }

    static <T> List<T> onAll(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return Flux.fromIterable(groups)
                .flatMapSequential(call, groups.size())
                .collectList()
                .block(LIMIT);
    }

    @AfterAll
    static void requireTensorsClosed() {
        LeakCheck.collectAndRequireTensorsClosed();
    }

    static List<Throwable> errors(List<ProcessGroup> groups, Function<ProcessGroup, Mono<?>> call) {
        return onAll(groups, group -> error(call.apply(group)));
    }
}
