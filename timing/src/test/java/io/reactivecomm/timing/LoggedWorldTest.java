package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.timing.CommsSummary.Row;
import io.reactivecomm.timing.Stragglers.Share;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Loggers of a world within this JVM. */
class LoggedWorldTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int RANKS = 3;

    private final LocalWorld world = ReactiveComm.local(RANKS);
    private final List<ProcessGroup> groups = world.groups();
    private final Tensor[] tensors = {floats(), floats(), floats()};
    private List<CommsLogger> loggers = List.of();

    private static Tensor floats() {
        return Tensor.allocate(DType.FLOAT32, 1000);
    }

    @AfterEach
    void close() {
        world.close();
        for (Tensor tensor : tensors) {
            tensor.close();
        }
    }

    private void log(List<ProcessGroup> observed, CommsLoggerOptions options) {
        loggers = observed.stream()
                .map(group -> {
                    CommsLogger logger = CommsLogger.of(options);
                    group.observe(logger);
                    return logger;
                })
                .toList();
    }

    private static <T> List<T> all(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return Objects.requireNonNull(
                Flux.fromIterable(groups).flatMapSequential(call).collectList().block(LIMIT));
    }

    private void allReduce(List<ProcessGroup> among) {
        all(among, group -> group.allReduce(tensors[group.globalRank(group.rank())], ReduceOp.SUM));
    }

    @Test
    void allReduce_isLogged_withItsPhasesAndBytes() {
        log(groups, CommsLoggerOptions.DEFAULT);
        allReduce(groups);
        for (int rank = 0; rank < RANKS; rank++) {
            CommsSummary summary = loggers.get(rank).summary();
            assertThat(summary.rank()).isEqualTo(rank);
            Row row = summary.rows().getFirst();
            assertThat(row.kind()).isEqualTo(new LoggedKind("all-reduce", 4000, RANKS, "links", ""));
            assertThat(row.count()).isEqualTo(1);
            assertThat(row.busBandwidth() / row.algorithmBandwidth()).isCloseTo(4.0 / 3, within(1e-12));
            CommsSummary.Phases phases = row.phases();
            assertThat(phases.queued().total()
                            + phases.matching().total()
                            + phases.wire().total()
                            + phases.fold().total())
                    .isEqualTo(row.latency().totalNanos());
            assertThat(row.payloadBytes().total()).isPositive();
        }
    }

    @Test
    void subGroup_countsItsOwnSize() {
        List<ProcessGroup> pair = all(groups, group -> group.newGroup(2, 0));
        log(pair, CommsLoggerOptions.DEFAULT);
        allReduce(pair);
        Row row = loggers.getFirst().summary().rows().getFirst();
        assertThat(row.kind().groupSize()).isEqualTo(2);
        assertThat(row.busBandwidth()).isEqualTo(row.algorithmBandwidth());
    }

    @Test
    void refusedCall_isAFailure() {
        log(groups, CommsLoggerOptions.DEFAULT);
        all(
                groups,
                group -> group.broadcast(tensors[group.rank()], 9)
                        .map(work -> "succeeded")
                        .onErrorResume(InvalidCallException.class, error -> Mono.just("refused")));
        loggers.forEach(logger -> assertThat(logger.summary().rows())
                .singleElement()
                .satisfies(row -> assertThat(row.failures()).containsOnlyKeys("InvalidCallException")));
    }

    @Test
    void composite_hasARowBesideThoseOfItsParts() {
        log(groups, CommsLoggerOptions.DEFAULT);
        all(groups, group -> group.composite("step").mono(inside -> inside.barrier()));
        assertThat(loggers.getFirst().summary().rows())
                .extracting(row -> row.kind().operation())
                .containsExactly("barrier", "step");
    }

    @Test
    void objects_areNamedAsTheFilterNamesThem() {
        log(groups, CommsLoggerOptions.DEFAULT.withOperations(Set.of("all_gather_object", "broadcast_object_list")));
        all(groups, group -> group.allGatherObject("a", String.class));
        all(groups, group -> group.broadcastObject("a", 0, String.class));
        assertThat(loggers.getFirst().summary().rows())
                .extracting(row -> row.kind().operation())
                .containsExactly("object all-gather", "object broadcast");
    }

    /** There, the inference and the coalesced form are logged as all-reduces, and a name of one's own is a call's {@code log_name}. */
    @Test
    void deepSpeedsNames_selectOperations_andCallsOfTheirName() {
        log(groups, CommsLoggerOptions.ofDeepSpeed("""
                {"comms_logger": {"enabled": true, "prof_all": false, "prof_ops": ["all_reduce", "custom_all_reduce_name"]}}
                """));
        all(groups, group -> group.inferenceAllReduce(tensors[group.rank()], ReduceOp.SUM));
        all(groups, group -> group.allReduceCoalesced(List.of(tensors[group.rank()]), ReduceOp.SUM));
        all(groups, group -> group.barrier());
        all(groups, group -> group.named("custom_all_reduce_name").broadcast(tensors[group.rank()], 0));
        assertThat(loggers.getFirst().summary().rows())
                .extracting(row -> row.kind().operation())
                .containsExactlyInAnyOrder("inference all-reduce", "all-reduce", "broadcast");
    }

    /** Ranks call from different lines, and only one of them wants to know: nothing of that is compared, or sent. */
    @Test
    void debug_tellsTheProgramsLine_andOtherRanksHearNothingOfIt() {
        CommsLogger debug = CommsLogger.of(CommsLoggerOptions.DEFAULT.withDebug(true));
        groups.getFirst().observe(debug);
        all(
                groups,
                group -> group.rank() == 0
                        ? group.allGatherObject("a", String.class)
                        : group.allGatherObject("b", String.class));
        all(
                groups.subList(0, 2),
                group -> group.rank() == 0 ? group.send(tensors[0], 1, 7) : group.receive(tensors[1], 0, 7));
        assertThat(debug.summary().rows())
                .hasSize(4)
                .allSatisfy(row -> assertThat(row.kind().callSite()).startsWith(LoggedWorldTest.class.getName()));
        assertThat(debug.summary().worldSize()).isEqualTo(RANKS);
    }

    @Test
    void streams_areNamedAsTheFilterNamesThem() {
        log(groups, CommsLoggerOptions.DEFAULT.withOperations(Set.of("stream send", "stream receive")));
        Flux.merge(
                        groups.get(0).sendAll(Flux.just(tensors[0]), 1, 7),
                        groups.get(1).receiveAll(0, 7).doOnNext(Tensor::close))
                .blockLast(LIMIT);
        assertThat(loggers.get(0).summary().operations()).containsExactly("stream send");
        assertThat(loggers.get(1).summary().operations()).containsExactly("stream receive");
    }

    @Test
    void stragglers_areTheSameOnAllRanks_thoughRanksHaveMadeDifferentCalls() {
        log(groups, CommsLoggerOptions.DEFAULT);
        allReduce(groups);
        all(
                groups.subList(0, 2),
                group -> group.rank() == 0 ? group.send(tensors[0], 1, 7) : group.receive(tensors[1], 0, 7));
        loggers.get(2).reset();
        List<Stragglers> found = all(groups, group -> loggers.get(group.rank()).stragglers(group));
        assertThat(found).hasSize(RANKS).containsOnly(found.getFirst());
        assertThat(found.getFirst().ranks()).containsExactly(0, 1, 2);
        assertThat(found.getFirst().rows())
                .extracting(row -> row.kind().operation())
                .containsExactly("all-reduce", "receive", "send");
        assertThat(found.getFirst().rows())
                .allSatisfy(row -> assertThat(row.isRagged()).isTrue());
        assertThat(found.getFirst().rows().getFirst().shares())
                .extracting(Share::count)
                .containsExactly(1L, 1L, 0L);
        assertThat(loggers.getFirst().summary().rows())
                .extracting(row -> row.kind().operation())
                .contains("object all-gather");
    }

    @Test
    void stragglers_ofLoggersThatSawNothing_areNone() {
        log(groups, CommsLoggerOptions.DEFAULT.withEnabled(false));
        List<Stragglers> found = all(groups, group -> loggers.get(group.rank()).stragglers(group));
        assertThat(found)
                .hasSize(RANKS)
                .allSatisfy(each -> assertThat(each.rows()).isEmpty());
    }
}
