package io.reactivecomm.shm.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.loops.LoadJvm;
import io.reactivecomm.testkit.loops.LongestHold;
import io.reactivecomm.testkit.loops.LoopLoad;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nothing of the library's uses a loop's thread for 50 ms of CPU time before its next task, in a new JVM; here because this module's tests
 * have all transports.
 */
@Tag("thorough")
class LoopTimeTest {

    private static final double MOST_MILLIS = 50;

    @Test
    @Timeout(400)
    void programThatHoldsALoop_isSeen() throws Exception {
        List<LongestHold> held = LoadJvm.longest("local", List.of(LoopLoad.HOLDING));

        assertThat(held)
                .filteredOn(each -> each.millis() >= MOST_MILLIS)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.load()).isEqualTo(LoopLoad.HOLDING.name());
                    assertThat(each.text()).contains("rcomm-local-").contains(LoopLoad.class.getName());
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "tcp", "shm"})
    @Timeout(900)
    void allThatLoopsDo_holdsNoneOfThem(String transport) throws Exception {
        List<LoopLoad> all = Arrays.stream(LoopLoad.values())
                .filter(load -> load != LoopLoad.HOLDING)
                .toList();

        assertThat(LoadJvm.heldFor(MOST_MILLIS, transport, all)).isEmpty();
    }
}
