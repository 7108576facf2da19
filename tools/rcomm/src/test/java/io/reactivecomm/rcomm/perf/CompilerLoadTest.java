package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CompilerLoadTest {

    private static final Duration WARM_UP = Duration.ofSeconds(5);

    @Test
    void share_isAPartOfTheTimeSinceItBegan() {
        assertThat(new CompilerLoad().share()).isFinite().isNotNegative();
    }

    @Test
    void complaint_calmCompilers_saysNothing() {
        assertThat(CompilerLoad.complaint(CompilerLoad.CALM, WARM_UP)).isEmpty();
    }

    @Test
    void complaint_busyCompilers_saysHowMuchAndWhatToDo() {
        assertThat(CompilerLoad.complaint(0.34, WARM_UP))
                .contains("compilers were at work 34% of the time in what follows; warm up longer: warmUp=5000 ms");
    }
}
