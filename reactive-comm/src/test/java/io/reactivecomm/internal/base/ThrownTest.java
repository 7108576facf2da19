package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ThrownTest {

    static Stream<Throwable> all() {
        return Stream.of(
                new IOException("planted"),
                new IllegalStateException("planted"),
                new AssertionError("planted"),
                new OutOfMemoryError("planted"));
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatWasThrown_isThrownOnAsItIs(Throwable thrown) {
        assertThatThrownBy(() -> Thrown.on(thrown)).isSameAs(thrown);
        Thrown.on(null);
    }

    @Test
    void interrupt_isKept_byWhoCatchesIt() {
        Thrown.keepInterrupt(new IOException("planted"));
        assertThat(Thread.interrupted()).isFalse();
        Thrown.keepInterrupt(new InterruptedException("planted"));
        assertThat(Thread.interrupted()).isTrue();
        ProgramError.throwIfFatal(new InterruptedException("planted"));
        assertThat(Thread.interrupted()).isTrue();
    }
}
