package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.testkit.ConnectedWorlds;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** LoCo's reduce-scatter on one machine and over TCP, and what needs neither. */
class LoCoTest {

    @Nested
    class Local extends LoCoContract implements LocalWorlds {}

    @Nested
    @Tag("repeated")
    class Tcp extends LoCoContract implements ConnectedWorlds {

        @Override
        public String transport() {
            return "tcp";
        }
    }

    @Test
    void optionsThatMakeNoSense_areRefused() {
        assertThatThrownBy(() -> LoCoOptions.DEFAULT.withErrorBeta(1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("errorBeta=1.0");
        assertThatThrownBy(() -> LoCoOptions.DEFAULT.withResetSteps(0)).isInstanceOf(InvalidCallException.class);
    }
}
