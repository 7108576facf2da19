package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.zip.ZipError;
import org.junit.jupiter.api.Test;

class ProgramErrorTest {

    @Test
    void internalErrorOfTheProgram_isThrownAsAnotherClass_withItsText() {
        InternalError thrown = new InternalError("planted");
        assertThatThrownBy(() -> ProgramError.throwIfFatal(thrown))
                .isExactlyInstanceOf(ProgramError.class)
                .hasMessage("planted")
                .hasToString(thrown.toString())
                .hasCause(thrown);
        assertThat(ProgramError.of(thrown)).isExactlyInstanceOf(ProgramError.class);
    }

    /** The JVM throws none of those for a lost page. */
    @Test
    void subclasses_stayAsTheyAre() {
        ZipError thrown = new ZipError("planted");
        assertThat(ProgramError.of(thrown)).isSameAs(thrown);
        InternalError again = ProgramError.of(new InternalError("planted"));
        assertThat(ProgramError.of(again)).isSameAs(again);
        assertThatThrownBy(() -> ProgramError.throwIfFatal(thrown)).isSameAs(thrown);
    }

    @Test
    void otherErrors_areThrownIfTheyAreFatal() {
        OutOfMemoryError fatal = new OutOfMemoryError("planted");
        assertThatThrownBy(() -> ProgramError.throwIfFatal(fatal)).isSameAs(fatal);
        assertThatCode(() -> ProgramError.throwIfFatal(new IOException("planted")))
                .doesNotThrowAnyException();
        assertThatCode(() -> ProgramError.throwIfFatal(new AssertionError("planted")))
                .doesNotThrowAnyException();
    }
}
