package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.testkit.StubCall;
import io.reactivecomm.timing.CommsSummary.Row;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Timing operators over calls of a world within this JVM. */
class TimedOperatorsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LocalWorld world = ReactiveComm.local(2);
    private final List<ProcessGroup> groups = world.groups();
    private final Tensor[] tensors = {Tensor.allocate(DType.FLOAT32, 1000), Tensor.allocate(DType.FLOAT32, 1000)};
    private final CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);

    @AfterEach
    void close() {
        world.close();
        for (Tensor tensor : tensors) {
            tensor.close();
        }
    }

    private Mono<Integer> allReduce(ProcessGroup group) {
        return group.allReduce(tensors[group.rank()], ReduceOp.SUM).map(work -> 1);
    }

    /** Runs that on both ranks, of which the first is timed. */
    private void run(Function<ProcessGroup, Publisher<?>> program, Function<Publisher<?>, Publisher<?>> timing) {
        Flux.fromIterable(groups)
                .flatMap(
                        group -> group.rank() == 0 ? timing.apply(program.apply(group)) : program.apply(group),
                        groups.size())
                .then()
                .block(LIMIT);
    }

    private static Row timed(CommsSummary summary, String tag) {
        return summary.rows().stream()
                .filter(row -> row.kind().isTimed() && row.kind().tag().equals(tag))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no such row: " + summary.rows()));
    }

    private static List<String> operations(CommsSummary summary) {
        return summary.rows().stream()
                .filter(row -> !row.kind().isTimed())
                .map(row -> row.kind().operation())
                .toList();
    }

    @Test
    void operator_recordsItsSubscription_andTheCallsUnderIt_thoughNobodyObservesTheGroup() {
        run(
                group -> allReduce(group).then(group.barrier()),
                each -> Mono.from(each).transform(logger.timed("forward")));
        CommsSummary summary = logger.summary();
        assertThat(operations(summary)).containsExactly("all-reduce", "barrier");
        assertThat(summary.rows())
                .allSatisfy(row -> assertThat(row.kind().tag()).isEqualTo("forward"));
        Row own = timed(summary, "forward");
        assertThat(summary.rows().getFirst()).isEqualTo(own);
        assertThat(own.count()).isEqualTo(1);
        assertThat(own.calls()).isEqualTo(new CommsSummary.Known(1, 2));
        assertThat(own.phases().queued().count()).isEqualTo(2);
        assertThat(own.payloadBytes().total())
                .isEqualTo(summary.rows().get(1).payloadBytes().total())
                .isPositive();
        assertThat(own.latency().totalNanos()).isPositive();
        assertThat(own.isUntimed()).isFalse();
        assertThat(summary.rank()).isZero();
        assertThat(summary.worldSize()).isEqualTo(2);
    }

    @Test
    void operator_ofAFlux_andAnyOrderOfOperators() {
        run(
                group -> Flux.range(0, 3)
                        .concatMap(i -> allReduce(group.named("a")))
                        .publishOn(Schedulers.parallel())
                        .concatMap(i -> group.named("b").composite("both").mono(inside -> inside.barrier())),
                each -> Flux.from(each)
                        .transform(logger.timed("flux"))
                        .map(item -> item)
                        .take(3));
        CommsSummary summary = logger.summary();
        assertThat(operations(summary)).containsExactly("all-reduce", "barrier", "both");
        assertThat(summary.rows().stream().skip(1)).extracting(Row::count).containsOnly(3L);
        assertThat(timed(summary, "flux").calls().total()).isEqualTo(9);
    }

    @Test
    void observedCall_isInItsOwnRow_andInTheTags() {
        groups.getFirst().observe(logger);
        run(this::allReduce, each -> Mono.from(each).transform(logger.timed("a")));
        assertThat(logger.summary().rows())
                .extracting(row -> row.kind().tag(), row -> row.kind().operation())
                .containsExactly(tuple("", "all-reduce"), tuple("a", "timed"), tuple("a", "all-reduce"));
        assertThat(operations(logger.summary().tagged(""))).containsExactly("all-reduce");
        assertThat(logger.summary().tagged("a*").rows()).hasSize(2);
        assertThat(logger.summary().tagged("b").rows()).isEmpty();
    }

    /** There is no room for the operator's own row either, but that is no call's. */
    @Test
    void tooManyKinds_countEachCallOnceForEachRow() {
        CommObserver fills = logger;
        for (int i = 0; i < CommsLogger.MOST_KINDS; i++) {
            fills.ended(StubCall.of("all-reduce", 1L << 20 | i, 2), null, 1);
        }
        run(ProcessGroup::barrier, each -> Mono.from(each).transform(logger.timed("more")));
        assertThat(logger.summary().unlisted()).isEqualTo(1);
        groups.getFirst().observe(logger);
        run(ProcessGroup::barrier, each -> Mono.from(each).transform(logger.timed("more")));
        assertThat(logger.summary().unlisted()).as("without a tag, too").isEqualTo(3);
        run(group -> Mono.empty(), each -> Mono.from(each).transform(logger.timed("other")));
        assertThat(logger.summary().unlisted()).as("no call").isEqualTo(3);
    }

    @Test
    void nestedOperators_bothCount() {
        run(
                group -> group.rank() == 0
                        ? allReduce(group).transform(logger.timed("inner")).then(group.barrier())
                        : allReduce(group).then(group.barrier()),
                each -> Mono.from(each).transform(logger.timed("outer")));
        assertThat(timed(logger.summary(), "inner").calls().total()).isEqualTo(1);
        assertThat(timed(logger.summary(), "outer").calls().total()).isEqualTo(2);
    }

    @Test
    void eachSubscription_counts() {
        run(
                group -> group.rank() == 0
                        ? allReduce(group).transform(logger.timed("again")).repeat(2)
                        : allReduce(group).repeat(2),
                each -> each);
        Row own = timed(logger.summary(), "again");
        assertThat(own.count()).isEqualTo(3);
        assertThat(own.calls()).isEqualTo(new CommsSummary.Known(3, 3));
    }

    @Test
    void retriedSubscription_countsAsAFailure_andAgain() {
        AtomicInteger tries = new AtomicInteger();
        run(
                group -> group.rank() == 0
                        ? allReduce(group)
                                .flatMap(one -> tries.getAndIncrement() == 0
                                        ? Mono.error(new ArithmeticException())
                                        : Mono.just(one))
                                .transform(logger.timed("retry"))
                                .retry(1)
                        : allReduce(group).repeat(1),
                each -> each);
        Row own = timed(logger.summary(), "retry");
        assertThat(own.count()).isEqualTo(1);
        assertThat(own.failures()).containsExactly(entry("ArithmeticException", 1L));
        assertThat(own.calls()).isEqualTo(new CommsSummary.Known(2, 2));
    }

    @Test
    void gradientsThatGoThroughAHook_areTimed() {
        run(
                group -> Flux.just(new Gradient("w", tensors[group.rank()]))
                        .transform(GradientHooks.of(ParallelHooks.dataParallel(group))),
                each -> Flux.from(each).transform(logger.timed("hook")));
        assertThat(operations(logger.summary())).contains("all-reduce").hasSizeGreaterThan(1);
        assertThat(timed(logger.summary(), "hook").isUntimed()).isFalse();
    }

    @Test
    void operatorThatDropsTheContext_makesItUntimed_andNot0() {
        run(
                group -> Mono.create(sink -> allReduce(group).subscribe(sink::success, sink::error)),
                each -> Mono.from(each).transform(logger.timed("dropped")));
        Row own = timed(logger.summary(), "dropped");
        assertThat(own.isUntimed()).isTrue();
        assertThat(own.count()).isEqualTo(1);
        assertThat(logger.summary().table().lines().filter(line -> line.startsWith("[dropped]")))
                .singleElement()
                .asString()
                .contains("untimed");
        assertThat(logger.summary().toCsv())
                .contains("-1,,dropped,timed,0,0,,,,1,0,")
                .endsWith(",,,,,,,\r\n");
        JsonNode row = JsonMapper.builder()
                .build()
                .readTree(logger.summary().toJson())
                .get("rows")
                .get(0);
        assertThat(row.get("untimed").booleanValue()).isTrue();
        assertThat(row.get("tag").stringValue()).isEqualTo("dropped");
    }

    @Test
    void callThatFails_isAFailureOfItsKind_andNotOfTheOperator_ifThatGoesOn() {
        run(
                group ->
                        group.broadcast(tensors[group.rank()], 9).map(work -> 1).onErrorReturn(2),
                each -> Mono.from(each).transform(logger.timed("caught")));
        Row own = timed(logger.summary(), "caught");
        assertThat(own.count()).isEqualTo(1);
        assertThat(own.failed()).isZero();
        assertThat(own.isUntimed()).isFalse();
        assertThat(logger.summary().rows().getLast().failures()).containsOnlyKeys("InvalidCallException");
    }

    @Test
    void failuresAndCancellations_countAsSuch() {
        IllegalStateException fault = new IllegalStateException("on purpose");
        StepVerifier.create(Mono.error(fault).transform(logger.timed("bad")))
                .verifyErrorMatches(error -> error == fault);
        StepVerifier.create(Mono.never().transform(logger.timed("left")))
                .thenCancel()
                .verify();
        StepVerifier.create(Flux.range(0, 9).transform(logger.timed("enough")).take(2))
                .expectNext(0, 1)
                .verifyComplete();
        StepVerifier.create(Mono.empty().transform(logger.timed("empty"))).verifyComplete();
        assertThat(timed(logger.summary(), "bad").failures()).containsExactly(entry("IllegalStateException", 1L));
        assertThat(timed(logger.summary(), "left").failures()).containsExactly(entry("CancellationException", 1L));
        assertThat(timed(logger.summary(), "enough").failed()).isEqualTo(1);
        assertThat(timed(logger.summary(), "empty").count()).isEqualTo(1);
    }

    /** The call goes on, and counts when it ends. */
    @Test
    void callThatEndsBehindTheOperator_countsForItsTag() {
        allReduce(groups.get(0)).transform(logger.timed("left")).subscribe().dispose();
        assertThat(timed(logger.summary(), "left").failures()).containsOnlyKeys("CancellationException");
        assertThat(operations(logger.summary())).isEmpty();
        allReduce(groups.get(1)).block(LIMIT);
        Flux.fromIterable(groups).flatMap(ProcessGroup::barrier).blockLast(LIMIT);
        assertThat(operations(logger.summary())).containsExactly("all-reduce");
        assertThat(timed(logger.summary(), "left").calls().total()).isEqualTo(1);
    }

    @Test
    void virtualTime_isTheOperators() {
        StepVerifier.withVirtualTime(() -> Mono.delay(Duration.ofSeconds(3)).transform(logger.timed("later")))
                .thenAwait(Duration.ofSeconds(3))
                .expectNextCount(1)
                .verifyComplete();
        assertThat(timed(logger.summary(), "later").latency().totalNanos()).isEqualTo(3_000_000_000L);
    }

    @Test
    void loggerThatIsOff_andFilters_holdForOperators() {
        logger.stop();
        run(this::allReduce, each -> Mono.from(each).transform(logger.timed("off")));
        assertThat(logger.summary().rows()).isEmpty();
        CommsLogger barriers = CommsLogger.of(CommsLoggerOptions.DEFAULT.withOperations(List.of("barrier")));
        run(
                group -> allReduce(group).then(group.barrier()),
                each -> Mono.from(each).transform(barriers.timed("x")));
        assertThat(operations(barriers.summary())).containsExactly("barrier");
        assertThat(timed(barriers.summary(), "x").isUntimed()).isFalse();
    }

    @Test
    void view_isLogged_onceEvenIfTheGroupIsToo_andCountsForItsTag() {
        groups.get(1).observe(logger);
        Flux.fromIterable(groups)
                .flatMap(group -> allReduce(logger.timed(group, "view"))
                        .then(logger.timed(group.named("x")).barrier())
                        .then(group.barrier()))
                .blockLast(LIMIT);
        CommsSummary summary = logger.summary();
        assertThat(summary.tagged("").rows())
                .extracting(row -> row.kind().operation(), Row::count)
                .containsExactly(tuple("all-reduce", 2L), tuple("barrier", 3L));
        assertThat(timed(summary, "view").calls().total()).isEqualTo(2);
        assertThat(timed(summary, "view").isUntimed()).isFalse();
        assertThat(timed(summary, "view").count()).isZero();
        assertThat(operations(summary.tagged("view"))).containsExactly("all-reduce");
    }

    /** However often the tag stands above it. */
    @Test
    void call_countsOnceForItsTag() {
        ProcessGroup group = groups.getFirst();
        ProcessGroup twice = logger.timed(logger.timed(group, "once"), "once");
        Mono<?> call =
                twice.barrier().transform(logger.timed("once")).map(work -> 1).transform(logger.timed("once"));
        Flux.merge(call, groups.getLast().barrier()).blockLast(LIMIT);
        CommsSummary summary = logger.summary();
        assertThat(summary.tagged("once").rows())
                .extracting(row -> row.kind().operation(), Row::count)
                .containsExactly(tuple("timed", 2L), tuple("barrier", 1L));
        assertThat(timed(summary, "once").calls()).isEqualTo(new CommsSummary.Known(2, 1));
    }

    @Test
    void operator_whoseCallsAreFilteredOut_isNotUntimed() {
        CommsLogger barriers = CommsLogger.of(CommsLoggerOptions.DEFAULT.withOperations(List.of("barrier")));
        run(this::allReduce, each -> Mono.from(each).transform(barriers.timed("x")));
        assertThat(timed(barriers.summary(), "x").isUntimed()).isFalse();
    }

    @Test
    void tag_isRequired() {
        assertThatThrownBy(() -> logger.timed(""))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("no tag");
        assertThatThrownBy(() -> logger.timed(groups.getFirst(), "")).isInstanceOf(InvalidCallException.class);
    }

    @Test
    void figures_comeWithTheValue() {
        List<TimedValue<Integer>> values = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> CallTiming.timed(allReduce(group)))
                .collectList()
                .block(LIMIT));
        assertThat(values).hasSize(2).allSatisfy(each -> {
            assertThat(each.value()).isEqualTo(1);
            assertThat(each.figures().calls()).isEqualTo(1);
            assertThat(each.figures().succeeded()).isEqualTo(1);
            assertThat(each.figures().failed()).isZero();
            assertThat(each.figures().isTimed()).isTrue();
            assertThat(each.figures().nanos())
                    .isGreaterThanOrEqualTo(each.figures().callNanos());
            assertThat(each.figures().phases().wire().count()).isEqualTo(1);
            assertThat(each.figures().payloadBytes().total()).isPositive();
        });
    }

    @Test
    void figuresOfAFlux_growWithItsItems() {
        List<List<Long>> calls = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> CallTiming.timed(Flux.range(0, 3).concatMap(i -> allReduce(group), 1))
                        .map(each -> each.figures().succeeded())
                        .collectList())
                .collectList()
                .block(LIMIT));
        assertThat(calls).containsOnly(List.of(1L, 2L, 3L));
        StepVerifier.create(CallTiming.timed(Mono.just("a")))
                .assertNext(each -> assertThat(each.figures().isTimed()).isFalse())
                .verifyComplete();
        StepVerifier.create(CallTiming.timed(Mono.empty())).verifyComplete();
    }

    @Test
    void figures_areToldHoweverItEnds() {
        List<CallFigures> told = new ArrayList<>();
        StepVerifier.create(Mono.just(1).transform(CallTiming.timed(told::add)))
                .expectNext(1)
                .verifyComplete();
        StepVerifier.create(Mono.<Integer>error(new ArithmeticException()).transform(CallTiming.timed(told::add)))
                .verifyError();
        StepVerifier.create(Mono.<Integer>never().transform(CallTiming.timed(told::add)))
                .thenCancel()
                .verify();
        StepVerifier.create(Flux.range(0, 3).transform(CallTiming.timed(told::add)))
                .expectNextCount(3)
                .verifyComplete();
        assertThat(told).hasSize(4);
    }

    @Test
    void whoIsToldAndThrows_failsTheSubscription_asFarAsItMay() {
        IllegalStateException thrown = new IllegalStateException("told");
        Function<Publisher<Integer>, Publisher<Integer>> throwing = CallTiming.timed(figures -> {
            throw thrown;
        });
        StepVerifier.create(Mono.just(1).transform(throwing)).verifyErrorMatches(error -> error == thrown);
        StepVerifier.create(Flux.just(1).transform(throwing))
                .expectNext(1)
                .verifyErrorMatches(error -> error == thrown);
        ArithmeticException own = new ArithmeticException();
        StepVerifier.create(Mono.<Integer>error(own).transform(throwing))
                .verifyErrorSatisfies(error -> assertThat(error.getSuppressed()).contains(thrown));
        StepVerifier.create(Mono.<Integer>never().transform(throwing))
                .thenCancel()
                .verifyThenAssertThat()
                .hasDroppedErrorMatching(error -> error == thrown);
    }

    @Test
    void stragglers_areComparedByTag_too() {
        List<CommsLogger> loggers = List.of(logger, CommsLogger.of(CommsLoggerOptions.DEFAULT));
        Flux.fromIterable(groups)
                .flatMap(group ->
                        allReduce(group).transform(loggers.get(group.rank()).timed("step")))
                .blockLast(LIMIT);
        Stragglers found = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> loggers.get(group.rank()).stragglers(group))
                .blockLast(LIMIT));
        assertThat(found.rows()).extracting(row -> row.kind().tag()).containsExactly("step", "step");
        assertThat(found.rows().getFirst().shares())
                .extracting(Stragglers.Share::count)
                .containsExactly(1L, 1L);
    }
}
