package io.reactivecomm.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.reactivecomm.CommException;
import io.reactivecomm.device.Handle;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class ReadinessTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Readiness readiness = new Readiness();

    /** A write that the test ends. */
    private static final class Writing implements Handle {

        private final Sinks.Empty<Void> end = Sinks.empty();

        @Override
        public Mono<Void> completed() {
            return end.asMono();
        }

        void fail(String text) {
            end.emitError(new CommException(text), Sinks.EmitFailureHandler.FAIL_FAST);
        }

        void succeed() {
            end.emitEmpty(Sinks.EmitFailureHandler.FAIL_FAST);
        }
    }

    private Writing enqueue(long from, long to) {
        Writing writing = new Writing();
        readiness.enqueued(writing, from, to);
        return writing;
    }

    private void requireReady(long from, long to) {
        assertThat(readiness.state(from, to)).isNull();
    }

    private void requireFailed(long from, long to, String text) {
        Mono<Void> state = readiness.state(from, to);
        assertThat(state).isNotNull();
        StepVerifier.create(state).expectErrorMessage(text).verify(LIMIT);
    }

    @Test
    void write_isAwaited_byReadsOfItsBytesAlone() {
        Writing writing = enqueue(100, 200);

        requireReady(0, 100);
        requireReady(200, 300);
        Mono<Void> state = readiness.state(199, 250);
        assertThat(state).isNotNull();
        writing.succeed();
        StepVerifier.create(state).expectComplete().verify(LIMIT);
        requireReady(100, 200);
    }

    @Test
    void failure_staysWithBytesThatNoLaterWriteHasCovered() {
        enqueue(0, 100).fail("first");
        enqueue(40, 60).succeed();

        requireFailed(0, 40, "first");
        requireReady(40, 60);
        requireFailed(59, 61, "first");
        enqueue(0, 50).succeed();
        enqueue(60, 100).succeed();
        requireReady(0, 100);
    }

    @Test
    void success_ofAnotherSlice_leavesAFailureAsItIs() {
        enqueue(0, 50).fail("first");
        readiness.enqueued(Handle.DONE, 50, 100);

        requireFailed(0, 50, "first");
        requireFailed(0, 100, "first");
        requireReady(50, 100);
    }

    @Test
    void failure_thatComesAfterALaterWrite_isOfTheRestOnly() {
        Writing early = enqueue(0, 100);
        enqueue(0, 60).succeed();
        early.fail("early");

        requireReady(0, 60);
        requireFailed(60, 100, "early");
    }

    @Test
    void bytes_ofNoElements_areReady() {
        enqueue(100, 100).fail("of nothing");

        requireReady(100, 100);
        requireReady(0, 200);
    }

    /** Such as a whole buffer, then its slices, then the whole again, in any order of ends. */
    @Test
    void writes_ofManySlices_areAsOneByteAtATime() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int size = 64;
        Writing[] last = new Writing[size];
        List<Writing> open = new ArrayList<>();
        Set<Writing> failed = new HashSet<>();
        for (int i = 0; i < 2_000; i++) {
            if (random.nextBoolean() || open.isEmpty()) {
                int from = random.nextInt(size);
                int to = from + random.nextInt(size - from + 1);
                Writing next = enqueue(from, to);
                Arrays.fill(last, from, to, next);
                open.add(next);
            } else {
                Writing ended = open.remove(random.nextInt(open.size()));
                if (random.nextInt(4) == 0) {
                    ended.fail("planted");
                    failed.add(ended);
                } else {
                    ended.succeed();
                }
            }
            for (int from = 0; from < size; from += 7) {
                Set<Writing> expected = new HashSet<>(Arrays.asList(last).subList(from, Math.min(size, from + 10)));
                boolean isFailed = expected.stream().anyMatch(failed::contains);
                boolean isPending = expected.stream().anyMatch(open::contains);
                Mono<Void> state = readiness.state(from, Math.min(size, from + 10));
                assertThat(state != null).as("seed=%s, i=%s", seed, i).isEqualTo(isFailed || isPending);
                if (isFailed) {
                    assertThat(state.materialize().block(LIMIT).isOnError())
                            .as("seed=%s, i=%s", seed, i)
                            .isTrue();
                }
            }
        }
    }

    /** Writes of the slices of one buffer, such as its buckets, cost as much for the last as for the first. */
    @Test
    void writes_ofManySlices_areCutInNoTimeThatGrowsWithThem() {
        int slices = 200_000;
        assertTimeoutPreemptively(LIMIT, () -> {
            List<Writing> all = new ArrayList<>();
            for (int i = 0; i < slices; i++) {
                all.add(enqueue(i, i + 1));
            }
            all.forEach(Writing::succeed);
        });
        requireReady(0, slices);
    }

    @Test
    void failedWrite_keepsTheErrorAlone() {
        WeakReference<Writing> failed = failedWrite();
        for (int i = 0; i < 50 && failed.get() != null; i++) {
            System.gc();
        }
        assertThat(failed.get()).as("the engine's handle").isNull();
        requireFailed(0, 100, "planted");
    }

    /** Leaves nothing on the stack that holds it. */
    private WeakReference<Writing> failedWrite() {
        Writing writing = enqueue(0, 100);
        writing.fail("planted");
        return new WeakReference<>(writing);
    }

    @Test
    void handleThatDoesNotSayWhenItEnds_leavesAllAsItWas() {
        enqueue(0, 50).fail("first");
        assertThatThrownBy(() -> readiness.enqueued(
                        () -> {
                            throw new IllegalStateException("planted");
                        },
                        0,
                        100))
                .hasMessage("planted");
        assertThatThrownBy(() -> readiness.enqueued(ReadinessTest::nothing, 0, 100))
                .isInstanceOf(NullPointerException.class);

        requireFailed(0, 50, "first");
        requireReady(50, 100);
    }

    @SuppressWarnings("NullAway")
    private static Mono<Void> nothing() {
        return null;
    }

    @Test
    void handleWhoseEndCannotBeHad_isAFailedWrite() {
        Mono<Void> unsound = new Mono<>() {

            @Override
            public void subscribe(CoreSubscriber<? super Void> subscriber) {
                throw new IllegalStateException("planted");
            }
        };
        readiness.enqueued(() -> unsound, 0, 100);

        requireFailed(0, 100, "planted");
        enqueue(0, 100).succeed();
        requireReady(0, 100);
    }
}
