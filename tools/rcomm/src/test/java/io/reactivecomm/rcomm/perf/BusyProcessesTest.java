package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class BusyProcessesTest {

    private static Set<ProcessHandle> children() {
        return ProcessHandle.current().children().collect(Collectors.toSet());
    }

    @Test
    void started_compute_andCloseEndsThem() {
        Set<ProcessHandle> started = new HashSet<>();
        Set<ProcessHandle> before = children();
        try (BusyProcesses processes = BusyProcesses.start(2)) {
            assertThat(processes).isNotNull();
            started.addAll(children());
            started.removeAll(before);
            assertThat(started).hasSize(2).allMatch(ProcessHandle::isAlive);
        }
        assertThat(started).noneMatch(ProcessHandle::isAlive);
    }

    @Test
    void none_startsNothing() {
        Set<ProcessHandle> before = children();
        try (BusyProcesses processes = BusyProcesses.start(0)) {
            assertThat(processes).isNotNull();
            assertThat(children()).isEqualTo(before);
        }
    }
}
