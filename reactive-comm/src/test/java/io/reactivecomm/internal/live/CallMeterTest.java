package io.reactivecomm.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import java.lang.reflect.Proxy;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CallMeterTest {

    private final CallMeter meter = new CallMeter(() -> {});

    /** A call of which only what the meter reads is known. */
    private void end(long subscribedAt, long queued, long matching) {
        CallPhases phases = new CallPhases(
                OptionalLong.of(queued), OptionalLong.of(matching), OptionalLong.empty(), OptionalLong.empty());
        ObservedCall call = (ObservedCall) Proxy.newProxyInstance(
                CallMeterTest.class.getClassLoader(),
                new Class<?>[] {ObservedCall.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "phases" -> phases;
                    case "subscribedAt" -> subscribedAt;
                    case "isComposite" -> false;
                    case "operation" -> "all-reduce";
                    case "groupSize" -> 4;
                    case "byteSize" -> 1000L;
                    default -> throw new AssertionError(method.getName());
                });
        meter.ended(call, null, subscribedAt + queued + matching);
    }

    @Test
    void counts_areTakenOnce() {
        end(0, 0, 0);
        assertThat(meter.take()).isEqualTo(new CallMeter.Counts(1, 0, 1000, 1500, 0));
        assertThat(meter.take()).isEqualTo(new CallMeter.Counts(0, 0, 0, 0, 0));
    }

    @Test
    void waits_thatOverlap_countOnce() {
        end(100, 10, 50);
        end(120, 0, 60);
        end(130, 0, 20);
        assertThat(meter.take().waitingNanos()).isEqualTo(180 - 110);
        end(170, 0, 30);
        end(300, 5, 5);
        assertThat(meter.take().waitingNanos()).isEqualTo(20 + 5);
    }
}
