package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Operations that are switched off do nothing, in every form, at once, and say so once. */
class SwitchedOffTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static LocalWorld without(Operation first, Operation... rest) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(3, settings.withOff(EnumSet.of(first, rest)));
    }

    private static Tensor floats(float value, int count) {
        float[] values = new float[count];
        Arrays.fill(values, value);
        return Tensor.of(values);
    }

    /** Only one rank calls: what is off waits for nobody. */
    @Test
    void everyForm_ofWhatIsOff_completesAtOnceAndTouchesNothing() {
        try (LocalWorld world = without(
                Operation.ALL_REDUCE,
                Operation.ALL_GATHER,
                Operation.REDUCE_SCATTER,
                Operation.BROADCAST,
                Operation.REDUCE)) {
            ProcessGroup group = world.groups().getFirst();
            Tensor one = floats(1, 2);
            Tensor three = floats(3, 6);
            List<Tensor> parts = List.of(floats(5, 2), floats(5, 2), floats(5, 2));
            Flux<Mono<Work>> calls = Flux.just(
                    group.allReduce(one, ReduceOp.SUM),
                    group.allReduceCoalesced(List.of(one, three), ReduceOp.SUM),
                    group.allGather(one, three),
                    group.allGather(one, parts),
                    group.allGatherCoalesced(List.of(one), List.of(three)),
                    group.reduceScatter(three, one, ReduceOp.SUM),
                    group.reduceScatter(parts, one, ReduceOp.SUM),
                    group.broadcast(one, 1),
                    group.reduce(one, 1, ReduceOp.SUM));
            List<Work> works = calls.concatMap(call -> call).collectList().block(LIMIT);
            assertThat(works).hasSize(9).allSatisfy(work -> {
                assertThat(work.algorithm()).isEqualTo("off");
                assertThat(work.byteSize()).isZero();
                assertThat(work.tensors()).isEmpty();
            });
            assertThat(group.allGatherParts(one, parts).collectList().block(LIMIT))
                    .isEmpty();
            assertThat(one.toFloatArray()).containsOnly(1);
            assertThat(three.toFloatArray()).containsOnly(3);
        }
    }

    @Test
    void whatIsOn_stillMatches() {
        try (LocalWorld world = without(Operation.ALL_REDUCE)) {
            Flux.fromIterable(world.groups())
                    .flatMap(
                            group -> group.allReduce(floats(1, 2), ReduceOp.SUM).then(group.barrier()))
                    .blockLast(LIMIT);
            List<List<Integer>> gathered = Flux.fromIterable(world.groups())
                    .flatMap(group -> group.allGatherObject(group.rank(), Integer.class))
                    .collectList()
                    .block(LIMIT);
            assertThat(gathered).containsOnly(List.of(0, 1, 2));
        }
    }

    @Test
    void wrongCalls_ofWhatIsOff_areStillWrong() {
        try (LocalWorld world = without(Operation.BROADCAST)) {
            StepVerifier.create(world.groups().getFirst().broadcast(floats(1, 1), 99))
                    .expectErrorMatches(error -> error.getMessage().contains("root=99"))
                    .verify(LIMIT);
        }
    }

    @Test
    void whatIsOff_ofAGroupThatIsClosed_isRefused() {
        try (LocalWorld world = without(Operation.BARRIER)) {
            ProcessGroup group = world.groups().getFirst();
            Mono<Work> early = group.barrier();
            group.abort("enough");
            StepVerifier.create(early).expectError(GroupClosedException.class).verify(LIMIT);
            group.close();
            StepVerifier.create(group.barrier())
                    .expectError(GroupClosedException.class)
                    .verify(LIMIT);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"MESSAGE", "NEW_GROUP", "COALESCED"})
    void whatOthersAreMadeOf_cannotBeOff(Operation operation) {
        assertThatThrownBy(() -> without(operation))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("streams and groups");
    }

    @Test
    void warning_comesOnceForEachOperation() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("io.reactivecomm.internal.switches.Switches");
        log.start();
        logger.addAppender(log);
        try (LocalWorld world = without(Operation.BROADCAST, Operation.ALL_REDUCE)) {
            ProcessGroup group = world.groups().getFirst();
            Tensor tensor = Tensor.allocate(DType.INT8, 3);
            Flux.just(group.broadcast(tensor, 0), group.broadcast(tensor, 1), group.allReduce(tensor, ReduceOp.MAX))
                    .concatMap(call -> call)
                    .blockLast(LIMIT);
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(2)
                .allMatch(text -> text.contains("switched off"));
    }
}
