package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndingsTest {

    private final List<String> tried = new ArrayList<>();

    private Runnable failing(String name) {
        return () -> {
            tried.add(name);
            throw new HostsException(name);
        };
    }

    @Test
    void all_areTried_andTheFirstFailureIsKept() {
        Endings endings = new Endings();
        endings.attempt(() -> tried.add("fine"));
        endings.attempt(failing("first"));
        endings.attempt(failing("second"));
        endings.attempt(() -> tried.add("last"));
        assertThat(tried).containsExactly("fine", "first", "second", "last");
        assertThatThrownBy(endings::rethrow)
                .hasMessage("first")
                .satisfies(first -> assertThat(first.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("second"));
    }

    @Test
    void failureThatCameBefore_isTheFirst() {
        Endings endings = new Endings(new HostsException("cause"));
        endings.attempt(failing("behind it"));
        assertThatThrownBy(endings::rethrow)
                .hasMessage("cause")
                .satisfies(first -> assertThat(first.getSuppressed()).hasSize(1));
    }

    @Test
    void endsInGoodOrder_throwNothing() {
        Endings endings = new Endings();
        endings.attempt(() -> tried.add("fine"));
        assertThatCode(endings::rethrow).doesNotThrowAnyException();
    }
}
