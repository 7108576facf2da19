package io.reactivecomm.samples.programs.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ZeroOneScheduleTest {

    private static List<Long> steps(LongPredicate isIn, long most) {
        return LongStream.range(0, most).filter(isIn).boxed().toList();
    }

    @Test
    void steps_ofTheDrawing() {
        ZeroOneSchedule schedule = new ZeroOneSchedule(2, 6, 8, 16);
        assertThat(steps(schedule::averagesGradients, 22)).containsExactly(0L, 1L, 2L, 4L);
        assertThat(steps(schedule::averagesMomenta, 22))
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 7L, 9L, 11L, 13L, 17L, 21L);
    }

    @Test
    void variances_eachNumberOfSteps_doubleTheirInterval() {
        ZeroOneSchedule schedule = new ZeroOneSchedule(3, 1000, 1, 16);
        assertThat(steps(schedule::averagesGradients, 40))
                .containsExactly(0L, 1L, 2L, 3L, 5L, 7L, 9L, 13L, 17L, 21L, 29L, 37L);
        assertThat(steps(schedule::averagesMomenta, 1000)).hasSize(1000);
    }

    @Test
    void localSteps_doubleUpToTheirMost() {
        ZeroOneSchedule schedule = new ZeroOneSchedule(16, 1, 4, 4);
        assertThat(steps(schedule::averagesMomenta, 18)).containsExactly(0L, 2L, 4L, 8L, 12L, 16L);
        assertThat(schedule.averagesMomenta(Long.MAX_VALUE / 4 * 4)).isTrue();
    }

    @Test
    void numbersOutOfRange_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZeroOneSchedule(16, 0, 1, 16))
                .withMessageContaining("firstLocalStep=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZeroOneSchedule(16, 1, 1, 6))
                .withMessageContaining("mostLocalSteps=6");
    }
}
