package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.LeakCheck;
import io.reactivecomm.testkit.NativeHeap;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ResultOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** The contract of demand: steps of gradient buckets are asked for, cancelled, and follow each other. */
public abstract class BucketDemandContract extends BucketWorld {

    private static final String[] NAMES = {"a", "b", "c", "d", "e", "f"};

    /** Two scalars in each bucket. */
    private static final BucketOptions PAIRS = SMALL.withBucketBytes(8).withFirstBucketBytes(8);

    private List<List<Gradient>> scalarsOfTwo() {
        return List.of(scalars(1, NAMES), scalars(2, NAMES));
    }

    private List<GradientBuckets> pairs(List<ProcessGroup> groups, BucketOptions options) {
        return buckets(groups, group -> GradientBuckets.of(group, options).registered(parameters(scalars(0, NAMES))));
    }

    /** A step whose gradients a test hands over and whose results it asks for, one by one. */
    private static final class Hand {

        private final Sinks.Many<Gradient> backward = Sinks.many().unicast().onBackpressureBuffer();
        private long asked;
        private final CountDownLatch first = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);
        private final BaseSubscriber<Gradient> results = new BaseSubscriber<>() {

            @Override
            protected void hookOnSubscribe(Subscription subscription) {}

            @Override
            protected void hookOnNext(Gradient gradient) {
                first.countDown();
            }

            @Override
            protected void hookOnComplete() {
                ended.countDown();
            }
        };

        Hand(UnaryOperator<Flux<Gradient>> hooks) {
            backward.asFlux().doOnRequest(this::asked).transform(hooks).subscribe(results);
        }

        private synchronized void asked(long more) {
            asked += more;
            notifyAll();
        }

        synchronized long asked() {
            return asked;
        }

        /** Requests may come on a thread of the library's. */
        synchronized void awaitAsked(long count) throws InterruptedException {
            long end = System.nanoTime() + LIMIT.toNanos();
            for (long left = LIMIT.toMillis();
                    asked < count && left > 0;
                    left = (end - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
            assertThat(asked).isEqualTo(count);
        }

        void handOver(Gradient gradient) {
            backward.tryEmitNext(gradient).orThrow();
        }

        private static void await(CountDownLatch latch) throws InterruptedException {
            assertThat(latch.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    /** {@return a hook that counts the results of the hook before it, each once the step has it} */
    private static GradientHook counting(CountDownLatch results) {
        return (gradient, step) -> Mono.just(gradient).doAfterTerminate(results::countDown);
    }

    @Tag("smoke")
    @Test
    void production_followsWhatIsWanted() throws InterruptedException {
        List<GradientBuckets> buckets = pairs(world(2), PAIRS);
        List<List<Gradient>> gradients = scalarsOfTwo();
        List<CountDownLatch> pairs = List.of(new CountDownLatch(2), new CountDownLatch(2));
        List<Hand> hands = IntStream.range(0, 2)
                .mapToObj(rank -> new Hand(GradientHooks.of(buckets.get(rank), counting(pairs.get(rank)))))
                .toList();
        for (int rank = 0; rank < 2; rank++) {
            Hand hand = hands.get(rank);
            assertThat(hand.asked()).as("nothing is wanted").isZero();
            hand.results.request(1);
            hand.awaitAsked(1);
            hand.handOver(gradients.get(rank).get(0));
            // The bucket is not whole.
            hand.awaitAsked(2);
        }
        for (int rank = 0; rank < 2; rank++) {
            hands.get(rank).handOver(gradients.get(rank).get(1));
            // The bucket is in flight.
            hands.get(rank).awaitAsked(3);
        }
        for (int rank = 0; rank < 2; rank++) {
            Hand hand = hands.get(rank);
            Hand.await(hand.first);
            Hand.await(pairs.get(rank));
            hand.handOver(gradients.get(rank).get(2));
            assertThat(hand.asked()).as("one more than the bucket has").isEqualTo(3);
            hand.results.request(1);
            assertThat(hand.asked()).as("a result was waiting").isEqualTo(3);
            hand.results.request(1);
            hand.awaitAsked(4);
        }
        for (int rank = 0; rank < 2; rank++) {
            Hand hand = hands.get(rank);
            gradients.get(rank).subList(3, 6).forEach(hand::handOver);
            hand.backward.tryEmitComplete().orThrow();
            hand.results.requestUnbounded();
        }
        for (Hand hand : hands) {
            Hand.await(hand.ended);
        }
    }

    @ParameterizedTest
    @EnumSource(ResultOrder.class)
    void ranksInOppositeOrders_thatTakeOneByOne_doNotWaitForEachOther(ResultOrder order) {
        List<ProcessGroup> groups = world(3);
        String[] names = IntStream.range(0, 60).mapToObj(i -> "layer" + i).toArray(String[]::new);
        List<List<Gradient>> gradients =
                IntStream.range(0, 3).mapToObj(rank -> scalars(1, names)).toList();
        List<GradientBuckets> buckets = buckets(
                groups,
                group -> GradientBuckets.of(group, PAIRS.withOrder(order))
                        .registered(parameters(gradients.get(group.rank()))));
        List<Ended> ends = steps(
                3,
                rank -> Flux.fromIterable(rank == 0 ? gradients.get(0) : shuffled(gradients.get(rank), rank))
                        .transform(buckets.get(rank))
                        .limitRate(1));
        ends.forEach(Ended::requireSuccess);
        ends.forEach(end -> assertThat(end.results()).hasSize(60));
    }

    @Test
    void results_doNotComeOnAThreadThatMustNotBlock() {
        List<GradientBuckets> buckets = pairs(world(2), PAIRS);
        List<List<Gradient>> gradients = scalarsOfTwo();
        AtomicBoolean nonBlocking = new AtomicBoolean();
        steps(
                        2,
                        rank -> Flux.fromIterable(gradients.get(rank))
                                .transform(buckets.get(rank))
                                .doOnNext(
                                        result -> nonBlocking.compareAndSet(false, Schedulers.isInNonBlockingThread())))
                .forEach(Ended::requireSuccess);
        assertThat(nonBlocking).isFalse();
    }

    @Test
    void manySteps_keepMemoryFlat() {
        List<ProcessGroup> groups = world(2);
        int count = 1 << 18;
        List<List<Gradient>> gradients = IntStream.range(0, 2)
                .mapToObj(rank -> IntStream.range(0, 4)
                        .mapToObj(i ->
                                new Gradient("layer" + i, kept(groups.get(rank).allocate(DType.FLOAT32, count))))
                        .toList())
                .toList();
        BucketOptions options =
                BucketOptions.DEFAULT.withBucketBytes(2L * 4 * count).withFirstBucketBytes(2L * 4 * count);
        List<GradientBuckets> buckets = buckets(groups, group -> GradientBuckets.of(group, options));
        long before = NativeHeap.usedBytes();
        for (int step = 0; step < 60; step++) {
            steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)))
                    .forEach(Ended::requireSuccess);
        }
        LeakCheck.requireNativeBytes(
                "two flat buffers on each rank", before + slackBytes() + 4 * options.bucketBytes());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void cancelling_afterSoManyGradients_tellsTheOtherRank_andTheNextStepWorks(int point) {
        List<GradientBuckets> buckets = pairs(world(2), PAIRS);
        List<List<Gradient>> gradients = scalarsOfTwo();
        Hand cancelled = new Hand(buckets.get(0));
        cancelled.results.requestUnbounded();
        gradients.get(0).subList(0, point).forEach(cancelled::handOver);
        Mono<Ended> other = begun(Flux.fromIterable(gradients.get(1)).transform(buckets.get(1)));
        cancelled.results.cancel();

        Ended end = await(other);
        if (point < 6) {
            assertThat(end.error())
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContainingAll("rank=0", "cancelled");
        }
        requireReleased(gradients.get(1));
        assertThat(end.names().size()).isLessThanOrEqualTo(point / 2 * 2);
        Mono.when(gradients.get(0).stream()
                        .map(each -> each.tensor().released())
                        .toList())
                .block(LIMIT);
        requireStep(buckets);
    }

    private void requireStep(List<GradientBuckets> buckets) {
        List<List<Gradient>> gradients = scalarsOfTwo();
        steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);
        gradients
                .get(0)
                .forEach(each -> assertThat(each.tensor().toFloatArray()).containsExactly(1.5f));
    }

    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void cancelling_afterSoManyResults_onAllRanks_isNoError(int taken) {
        List<GradientBuckets> buckets = pairs(world(2), PAIRS.withOrder(ResultOrder.PARAMETER));
        List<List<Gradient>> gradients = scalarsOfTwo();
        List<Ended> ends = steps(
                2,
                rank -> Flux.fromIterable(gradients.get(rank))
                        .transform(buckets.get(rank))
                        .take(taken));
        ends.forEach(Ended::requireSuccess);
        ends.forEach(end -> assertThat(end.names()).containsExactly(Arrays.copyOf(NAMES, taken)));
        gradients.forEach(each -> Mono.when(
                        each.stream().map(one -> one.tensor().released()).toList())
                .block(LIMIT));
        requireStep(buckets);
    }

    @Test
    void cancelling_theFirstStep_tellsTheOtherRank_andTheNextOneLearns() {
        List<GradientBuckets> buckets = buckets(world(2), group -> GradientBuckets.of(group, PAIRS));
        List<List<Gradient>> gradients = scalarsOfTwo();
        Hand cancelled = new Hand(buckets.get(0));
        cancelled.results.requestUnbounded();
        cancelled.handOver(gradients.get(0).get(0));
        Mono<Ended> other = begun(Flux.fromIterable(gradients.get(1)).transform(buckets.get(1)));
        cancelled.results.cancel();

        Ended end = await(other);
        assertThat(end.error()).isInstanceOf(GroupClosedException.class).hasMessageContainingAll("rank=0", "cancelled");
        requireReleased(gradients.get(1));
        requireStep(buckets);
    }

    @Test
    void step_thatIsSubscribedToEarly_waitsForItsTurn() {
        List<GradientBuckets> buckets = pairs(world(2), PAIRS);
        List<Hand> first = buckets.stream().map(Hand::new).toList();
        first.forEach(hand -> hand.results.requestUnbounded());
        List<List<Gradient>> gradients = scalarsOfTwo();
        AtomicInteger subscribed = new AtomicInteger();
        List<Mono<Ended>> second = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            Flux<Gradient> source =
                    Flux.fromIterable(gradients.get(rank)).doOnSubscribe(ignored -> subscribed.incrementAndGet());
            second.add(begun(source.transform(buckets.get(rank))));
        }
        assertThat(subscribed).hasValue(0);
        List<List<Gradient>> earlier = scalarsOfTwo();
        for (int rank = 0; rank < 2; rank++) {
            earlier.get(rank).forEach(first.get(rank)::handOver);
            first.get(rank).backward.tryEmitComplete().orThrow();
        }
        second.forEach(each -> await(each).requireSuccess());
        assertThat(subscribed).hasValue(2);
        gradients
                .get(0)
                .forEach(each -> assertThat(each.tensor().toFloatArray()).containsExactly(1.5f));
    }

    @Test
    void step_thatIsCancelledBeforeItsTurn_isSteppedOver() {
        List<GradientBuckets> buckets = pairs(world(2), PAIRS);
        List<Hand> first = buckets.stream().map(Hand::new).toList();
        AtomicInteger subscribed = new AtomicInteger();
        for (GradientBuckets each : buckets) {
            Flux<Gradient> second = Flux.<Gradient>empty()
                    .doOnSubscribe(ignored -> subscribed.incrementAndGet())
                    .transform(each);
            second.subscribe().dispose();
        }
        for (int rank = 0; rank < 2; rank++) {
            first.get(rank).results.requestUnbounded();
            first.get(rank).backward.tryEmitComplete().orThrow();
        }
        requireStep(buckets);
        assertThat(subscribed).hasValue(0);
    }

    @Test
    void buckets_thatAreClosed_refuseSteps_onAllRanks() {
        List<GradientBuckets> buckets = pairs(world(2), PAIRS);
        requireStep(buckets);
        buckets.get(0).close();
        buckets.get(0).close();
        List<List<Gradient>> gradients = scalarsOfTwo();
        List<Ended> ends =
                steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
        ends.forEach(end ->
                assertThat(end.error()).isInstanceOf(CommException.class).hasMessageContaining("buckets are closed"));
        gradients.forEach(BucketWorld::requireReleased);
    }
}
