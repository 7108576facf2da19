package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Things that throw as they are closed: the others are closed all the same. */
class ClosingsTest {

    private final List<String> closed = new ArrayList<>();
    private final Closings closings = new Closings();

    private void close(String name, Error thrown) {
        closings.close("name=" + name, () -> {
            closed.add(name);
            if (thrown != null) {
                throw thrown;
            }
        });
    }

    @Test
    void whatIsFatal_isThrownOnAtTheEnd_andItIsTheFirst() {
        Error first = new OutOfMemoryError("on purpose");
        close("a", first);
        close("b", new StackOverflowError("on purpose"));
        close("c", null);

        assertThatThrownBy(closings::end).isSameAs(first);
        assertThat(closed).containsExactly("a", "b", "c");
    }

    @Test
    void whatIsNotFatal_isThrownAtNobody() {
        close("a", new AssertionError("on purpose"));
        close("b", null);

        closings.end();
        assertThat(closed).containsExactly("a", "b");
    }

    /** Loggers ask an error for its message and do not catch exceptions from it. */
    @Test
    void errorThatCannotSayWhy_keepsNothingOpen() {
        closings.close("a", () -> {
            throw new ErrorTextsTest.Mute();
        });
        close("b", null);

        closings.end();
        assertThat(closed).containsExactly("b");
    }
}
