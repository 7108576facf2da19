package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
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
}
