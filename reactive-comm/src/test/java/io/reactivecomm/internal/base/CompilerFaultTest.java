package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompilerFaultTest {

    private static final String LEVEL = "TieredStopAtLevel";
    private static final String OPTION = "ReduceAllocationMerges";

    /** As HotSpot does it: an option that is locked does not exist. */
    private static Optional<String> warning(String version, Map<String, String> options) {
        return CompilerFault.warning(Runtime.Version.parse(version), name -> {
            if (!options.containsKey(name)) {
                throw new IllegalArgumentException("VM option \"" + name + "\" does not exist");
            }
            return options.get(name);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"25", "25.0.3+9-LTS", "26.0.1", "27"})
    void warning_affectedRelease_namesVersionAndFlags(String version) {
        assertThat(warning(version, Map.of(LEVEL, "4")).orElseThrow())
                .contains("version=" + version, "JDK-8385993", CompilerFault.FLAGS);
        assertThat(warning(version, Map.of(LEVEL, "4", OPTION, "true"))).isPresent();
    }

    @Test
    void warning_flagIsSet_isNone() {
        assertThat(warning("25.0.3", Map.of(LEVEL, "4", OPTION, "false"))).isEmpty();
    }

    @Test
    void warning_withoutTheOptimizingCompiler_isNone() {
        assertThat(warning("25.0.3", Map.of(LEVEL, "1"))).isEmpty();
    }

    @Test
    void warning_laterRelease_isNone() {
        assertThat(warning("28", Map.of(LEVEL, "4"))).isEmpty();
    }

    /** Another machine knows none of the options: that is no failure, as {@link CompilerFault#warning()} sees it. */
    @Test
    void warning_anotherMachine_isToldApart() {
        assertThatThrownBy(() -> warning("25.0.3", Map.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatCode(CompilerFault::warning).doesNotThrowAnyException();
    }

    /** The build passes the flags to its tests, and this JVM is asked as a user's is. */
    @Test
    void warning_ofThisJvm_isNone() {
        assertThat(CompilerFault.warning()).isEmpty();
    }
}
