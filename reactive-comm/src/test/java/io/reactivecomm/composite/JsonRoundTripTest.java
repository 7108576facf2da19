package io.reactivecomm.composite;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What is written comes back. */
class JsonRoundTripTest {

    record Keys(Map<Integer, String> byNumber, Map<String, Integer> byName) {}

    record Chars(char letter, byte[] bytes, char[] chars, String empty) {}

    record Times(Instant at, Duration took) {}

    record Maybe(Optional<String> text, OptionalInt number) {}

    record Addresses(URI none, Locale root) {}

    @Test
    void keys() {
        Keys keys = new Keys(Map.of(-7, "x", 8, ""), Map.of("", 1));
        assertThat(back(keys)).isEqualTo(keys);
    }

    @Test
    void longKey() {
        Keys keys = new Keys(Map.of(), Map.of("k".repeat(60_000), 1));
        assertThat(back(keys)).isEqualTo(keys);
    }

    @Test
    void chars() {
        for (char letter : new char[] {'x', ' ', 0, 0x1234, '"'}) {
            Chars chars = new Chars(letter, new byte[0], new char[0], "");
            Chars got = back(chars);
            assertThat(got.letter).isEqualTo(letter);
            assertThat(got.bytes).isEmpty();
            assertThat(got.chars).isEmpty();
        }
    }

    @Test
    void times() {
        Times times = new Times(Instant.ofEpochSecond(1, 5), Duration.ofNanos(1_000_000_001));
        assertThat(back(times)).isEqualTo(times);
    }

    @Test
    void maybe() {
        assertThat(back(new Maybe(Optional.of(""), OptionalInt.of(3)))).isEqualTo(new Maybe(Optional.of(""), OptionalInt.of(3)));
        assertThat(back(new Maybe(Optional.empty(), OptionalInt.empty()))).isEqualTo(new Maybe(Optional.empty(), OptionalInt.empty()));
    }

    @Test
    void addresses() {
        Addresses one = new Addresses(URI.create(""), Locale.ROOT);
        assertThat(back(one)).isEqualTo(one);
    }

    @Test
    void lists() {
        assertThat(back(List.of(1, "x", Map.of()), List.class)).isEqualTo(List.of(1, "x", Map.of()));
        assertThat(back("", String.class)).isEmpty();
        assertThat(back(5L, Long.class)).isEqualTo(5L);
        assertThat(back(1.0f, Float.class)).isEqualTo(1.0f);
        assertThat(back(3.0, Double.class)).isEqualTo(3.0);
        assertThat(back(new java.math.BigDecimal("1E+400"), java.math.BigDecimal.class)).isEqualTo(new java.math.BigDecimal("1E+400"));
        assertThat(back(new double[] {1, 2}, double[].class)).containsExactly(1, 2);
    }

    @SuppressWarnings("unchecked")
    private static <T> T back(T value) {
        return back(value, (Class<T>) value.getClass());
    }

    private static <T, U extends T> T back(U value, Class<T> type) {
        JsonCodec<T> codec = new JsonCodec<>(type);
        return codec.decode(codec.encode(value));
    }
}
