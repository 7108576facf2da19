package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class PrerequisitesTest {

    @Test
    void root_withAllPrograms_mayGoOn() {
        assertThatCode(new Prerequisites(0, name -> true)::require).doesNotThrowAnyException();
    }

    @Test
    void someoneElse_isToldToBeRoot() {
        assertThatThrownBy(new Prerequisites(1000, name -> true)::require)
                .isInstanceOf(HostsException.class)
                .hasMessage(
                        "network namespaces need root: uid=1000; run it with sudo, or in a container that is privileged");
    }

    @Test
    void missingPrograms_areNamed() {
        assertThatThrownBy(new Prerequisites(
                        0, name -> !List.of("tc", "nsenter", "setsid").contains(name))::require)
                .hasMessageStartingWith("programs are missing: missing=[tc, nsenter, setsid]; install iproute2");
    }

    @Test
    void otherSystem_isToldToBeLinux() {
        assertThatThrownBy(new Prerequisites(-1, name -> true)::require).hasMessageContaining("run it on Linux");
    }

    @Test
    void failingCommand_isToldInItsOwnWords() {
        assertThatThrownBy(() -> SystemCommand.run(
                        List.of("sh", "-c", "echo Error: Specified qdisc; echo '  kind is unknown.' >&2; exit 2")))
                .isInstanceOf(HostsException.class)
                .hasMessageContaining("exitCode=2, says=\"Error: Specified qdisc kind is unknown.\"; it takes root");
        assertThatThrownBy(() -> SystemCommand.run(List.of("/no/such/program", "add")))
                .isInstanceOf(HostsException.class)
                .hasMessageContaining("command=/no/such/program add");
    }
}
