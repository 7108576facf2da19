package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivecomm.spi.NativeAccess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chains of causes, also those that lead back to themselves. */
@Timeout(30)
class CausesTest {

    /** An error whose cause is another one than at the last question. */
    private static final class Endless extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    @Test
    void chain_endsAtTheFirstCause() {
        IllegalStateException first = new IllegalStateException("first");
        IllegalStateException outer = new IllegalStateException("outer", first);
        assertThat(Causes.of(outer)).containsExactly(outer, first);
        assertThat(Causes.first(outer)).isSameAs(first);
        assertThat(Causes.first(first)).isSameAs(first);
    }

    @Test
    void chain_thatLeadsBackToItself_holdsEachErrorOnce() {
        IllegalStateException a = new IllegalStateException("a");
        IllegalStateException b = new IllegalStateException("b", a);
        a.initCause(b);
        assertThat(Causes.of(a)).containsExactly(a, b);
        assertThat(NativeAccess.reason(a)).contains("IllegalStateException: b");
    }

    @Test
    void chain_withoutEnd_isCut() {
        assertThat(Causes.of(new Endless())).hasSizeBetween(2, 100);
    }

    @Test
    void cause_thatThrows_endsTheChain() {
        RuntimeException error = new RuntimeException("silent") {

            private static final long serialVersionUID = 1;

            @Override
            public synchronized Throwable getCause() {
                throw new IllegalStateException("on purpose");
            }
        };
        assertThatIllegalStateException().isThrownBy(error::getCause);
        assertThat(Causes.of(error)).containsExactly(error);
    }
}
