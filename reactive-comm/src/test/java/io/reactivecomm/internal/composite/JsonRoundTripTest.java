package io.reactivecomm.internal.composite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Objects written as JSON come back, however strictly they are read. */
class JsonRoundTripTest {

    /** Above Jackson's own bound of 50,000. */
    private static final int LONG_KEY = 60_000;

    private record Keys(Map<Integer, String> byNumber, Map<String, Integer> byName) {}

    private record Times(Instant at, Duration took) {}

    private record Perhaps(Optional<String> text, OptionalInt number) {}

    private record Letters(char letter, byte[] bytes, char[] chars) {}

    @Test
    void keys_ofNumbersAndOfNoLetter_comeBack() {
        assertComesBack(new Keys(Map.of(-7, "x", 8, ""), Map.of("", 1)));
    }

    @Test
    void key_ofAnyLength_comesBack() {
        assertComesBack(new Keys(Map.of(), Map.of("k".repeat(LONG_KEY), 1)));
    }

    @Test
    void times_andWhatMayBeAbsent_comeBack() {
        assertComesBack(new Times(Instant.ofEpochSecond(1, 5), Duration.ofNanos(1_000_000_001)));
        assertComesBack(new Perhaps(Optional.of(""), OptionalInt.of(3)));
        assertComesBack(new Perhaps(Optional.empty(), OptionalInt.empty()));
    }

    @Test
    void letters_andEmptyArrays_comeBack() {
        for (char letter : new char[] {'x', ' ', 0, '"', '\u1234'}) {
            Letters letters = there(new Letters(letter, new byte[0], new char[0]));
            assertThat(letters.letter).isEqualTo(letter);
            assertThat(letters.bytes).isEmpty();
            assertThat(letters.chars).isEmpty();
        }
    }

    private static void assertComesBack(Record value) {
        assertThat(there(value)).isEqualTo(value);
    }

    @SuppressWarnings("unchecked")
    private static <T> T there(T value) {
        JsonCodec<T> codec = new JsonCodec<>((Class<T>) value.getClass());
        return codec.decode(codec.encode(value));
    }
}
