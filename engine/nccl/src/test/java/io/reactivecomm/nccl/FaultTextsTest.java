package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.engine.EngineGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Texts of failures whose causes are the program's own errors. */
class FaultTextsTest {

    @SuppressWarnings("serial")
    private static final class Mute extends RuntimeException {

        @Override
        public String getMessage() {
            throw new IllegalStateException("a fault of an error's own");
        }
    }

    @Test
    void causeThatThrowsWhenItIsAsked_isNamed() {
        EngineGroup group = new EngineGroup(9, 0, List.of(0, 1), 1);
        assertThat(NcclFailures.ofOpening(group, 1, new Mute()).text())
                .contains("cause=" + Mute.class.getName() + " that does not say why");
        assertThat(NcclFailures.ofOpening(group, 1, new IllegalStateException("why"))
                        .text())
                .contains("cause=java.lang.IllegalStateException: why;");
    }
}
