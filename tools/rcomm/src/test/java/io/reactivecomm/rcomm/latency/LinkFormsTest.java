package io.reactivecomm.rcomm.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Latencies and rates as users write them, and the names of links that have them. */
class LinkFormsTest {

    @ParameterizedTest
    @CsvSource({"2ms, 2000000", "500us, 500000", "0, 0", "0ms, 0"})
    void latency_withAUnit_isRead(String text, long nanos) {
        assertThat(Latency.parse(text)).isEqualTo(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "-2ms", "2 s", "ms", "12345678ms"})
    void latency_ofAnotherForm_isRefused(String text) {
        assertThatThrownBy(() -> Latency.parse(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("cannot read the latency: latency=" + text + "; write it like 2ms, 500us or 0");
    }

    @ParameterizedTest
    @CsvSource({
        "1gbit, 1000000000, 1 Gbit/s",
        "2.5gbit, 2500000000, 2.5 Gbit/s",
        "100mbit, 100000000, 100 Mbit/s",
        "64kbit, 64000, 64 kbit/s",
        "0, 0, no limit"
    })
    void rate_withAUnit_isRead(String text, long bitsPerSecond, String words) {
        assertThat(Rate.parse(text)).isEqualTo(new Rate(bitsPerSecond)).hasToString(words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "-1gbit", "1 gbit", "gbit", "1gbps", "1234567gbit"})
    void rate_ofAnotherForm_isRefused(String text) {
        assertThatThrownBy(() -> Rate.parse(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("cannot read the rate: rate=" + text + "; write it like 1gbit, 100mbit or 0");
    }

    @ParameterizedTest
    @CsvSource({"2ms, 0, tcp + 2 ms", "0, 1gbit, tcp at 1 Gbit/s", "100us, 1gbit, tcp + 0.1 ms at 1 Gbit/s"})
    void shape_namesItsLinks(String latency, String rate, String name) {
        assertThat(LinkShape.of(Latency.parse(latency), Rate.parse(rate)).nameOf("tcp"))
                .isEqualTo(name);
    }

    /** At most a 128th of a call, and never less than timers are late. */
    @Test
    void burst_isNextToNothingOfACall() {
        LinkShape shape = LinkShape.of(Duration.ZERO, Rate.parse("1gbit"));
        assertThat(shape.forCallsOf(4096).burstBytes()).isEqualTo(8 << 10);
        assertThat(shape.forCallsOf(2 << 20).burstBytes()).isEqualTo(16 << 10);
        assertThat(shape.forCallsOf(64L << 20).burstBytes()).isEqualTo(64 << 10);
    }
}
