package io.reactivecomm.kernel;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Operators from languages that check no exceptions, or whose unfinished code throws an error of its own. */
class SneakyOperatorTest {

    @ParameterizedTest
    @EnumSource(
            names = {"BOOL", "FLOAT8_E4M3", "FLOAT8_E5M2"},
            mode = Mode.EXCLUDE)
    void fold_operatorThrowsWhatNobodyDeclared_isAnInvalidCall(DType type) {
        assertThatThrownBy(() -> fold(type, new IOException("no such file")))
                .isInstanceOf(InvalidCallException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> fold(type, new Error("not written yet")))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("not written yet");
    }

    @Test
    void fold_theMachineFails_isNoInvalidCall() {
        OutOfMemoryError noMemory = new OutOfMemoryError("as thrown by the machine");
        assertThatThrownBy(() -> fold(DType.INT32, noMemory)).isSameAs(noMemory);
    }

    private static void fold(DType type, Throwable thrown) {
        CustomReduction faulty = type.isInteger()
                ? CustomReduction.ofIntegers(
                        "faulty", (a, b) -> SneakyOperatorTest.<RuntimeException, Long>sneak(thrown))
                : CustomReduction.ofFloats(
                        "faulty", (a, b) -> SneakyOperatorTest.<RuntimeException, Double>sneak(thrown));
        MemorySegment[] sources = {MemorySegment.ofArray(new long[4]), MemorySegment.ofArray(new long[4])};
        Kernels.of(type, faulty).fold(MemorySegment.ofArray(new long[4]), sources, new boolean[2], 2, 4, 1);
    }

    /** Throws what the compiler would want declared, as Kotlin and Scala do. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable, T> T sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
