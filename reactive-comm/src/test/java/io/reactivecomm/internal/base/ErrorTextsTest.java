package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The words of errors, whatever those do when they are asked. */
class ErrorTextsTest {

    /** An error of a program that cannot say why. */
    static final class Mute extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("on purpose");
        }
    }

    @Test
    void error_thatSaysWhy_isQuoted() {
        assertThat(ErrorTexts.message(new IllegalStateException("why"))).isEqualTo("why");
        assertThat(ErrorTexts.message(new IllegalStateException())).isEmpty();
        assertThat(ErrorTexts.messageOrType(new IllegalStateException("why"))).isEqualTo("why");
        assertThat(ErrorTexts.messageOrType(new IllegalStateException())).isEqualTo("java.lang.IllegalStateException");
        assertThat(ErrorTexts.describe(new IllegalStateException("why")))
                .isEqualTo("java.lang.IllegalStateException: why");
    }

    @Test
    void error_thatThrowsWhenItIsAsked_isNamed() {
        String named = Mute.class.getName() + " that does not say why";

        assertThat(ErrorTexts.message(new Mute())).isEqualTo(named);
        assertThat(ErrorTexts.describe(new Mute())).isEqualTo(named);
    }

    @Test
    void error_thatThrowsWhenItIsAsked_isReplacedForLoggers() {
        IllegalStateException sound = new IllegalStateException("why", new IllegalStateException("first"));
        assertThat(ErrorTexts.printable(sound)).isSameAs(sound);
        Mute mute = new Mute();
        assertThat(ErrorTexts.printable(mute)).hasMessage(Mute.class.getName() + " that does not say why");
        assertThat(ErrorTexts.printable(mute).getStackTrace()).isEqualTo(mute.getStackTrace());
        assertThat(ErrorTexts.printable(new IllegalStateException("outer", mute)))
                .hasMessageContaining("outer");
    }
}
