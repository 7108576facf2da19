package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Work;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ends that wait to be told. */
class SignalsTest {

    /** A subscriber's list of its failures. */
    private record Told(List<Failure> failures) implements CallSink {

        @Override
        public void succeeded(Work work) {
            throw new AssertionError("succeeded: " + work);
        }

        @Override
        public void failed(Failure failure) {
            failures.add(failure);
        }
    }

    @Test
    void failure_isTheSubscribers_evenIfTellingItElsewhereFails() {
        Signals signals = new Signals();
        signals.whenFailed(failure -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        Told subscriber = new Told(new ArrayList<>());
        Failure failure = new Failure(Failure.Kind.TIMEOUT, 1, "late");
        assertThatThrownBy(() -> signals.failed(subscriber, failure)).isInstanceOf(OutOfMemoryError.class);
        assertThat(signals.deliverOne(0)).isTrue();
        assertThat(subscriber.failures()).containsExactly(failure);
        assertThat(signals.deliverOne(0)).isFalse();
    }
}
