package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.EngineUse;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** The place of ranks on their hosts, with a launcher's variables and without, and their engines. */
@Tag("repeated")
@Timeout(60)
class TcpHostPlaceTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Uneven, and dealt out in turn. */
    private static final List<String> HOSTS = List.of("anna", "berta", "anna", "clara", "anna");

    private static List<Integer> place(ProcessGroup group) {
        return List.of(group.localRank(), group.localSize(), group.hostRank(), group.hostCount());
    }

    private static List<List<Integer>> places(List<ProcessGroup> groups) {
        return groups.stream().map(TcpHostPlaceTest::place).toList();
    }

    @Test
    void place_withoutALauncher_followsFromTheHosts_alsoUnevenOnesInAnyOrder() {
        try (WorldContract.World world =
                TcpWorlds.open(HOSTS.size(), config -> config.withHostId(HOSTS.get(config.rank())))) {
            assertThat(places(world.groups()))
                    .containsExactly(
                            List.of(0, 3, 0, 3),
                            List.of(0, 1, 1, 3),
                            List.of(1, 3, 0, 3),
                            List.of(0, 1, 2, 3),
                            List.of(2, 3, 0, 3));
        }
    }

    @Test
    void place_onOneHost_countsAllRanks() {
        try (WorldContract.World world = TcpWorlds.open(3, config -> config)) {
            assertThat(places(world.groups()))
                    .containsExactly(List.of(0, 3, 0, 1), List.of(1, 3, 0, 1), List.of(2, 3, 0, 1));
        }
    }

    @Test
    void place_ofSubgroupsAndViews_isThatOfTheProcessInTheWorld() {
        try (WorldContract.World world =
                TcpWorlds.open(HOSTS.size(), config -> config.withHostId(HOSTS.get(config.rank())))) {
            List<ProcessGroup> last = Objects.requireNonNull(Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> group.newGroup(4, 2))
                    .collectList()
                    .block(LIMIT));

            assertThat(last).extracting(ProcessGroup::ranks).containsOnly(List.of(4, 2));
            assertThat(places(last)).containsExactly(List.of(1, 3, 0, 3), List.of(2, 3, 0, 3));
            assertThat(place(last.getFirst().named("view").timeout(LIMIT))).containsExactly(1, 3, 0, 3);
            assertThat(last.getFirst().groupRank(2)).isEqualTo(1);
            assertThat(last.getFirst().groupRank(4)).isZero();
            assertThat(List.of(0, 1, 3, 5, -1))
                    .allSatisfy(
                            rank -> assertThat(last.getFirst().groupRank(rank)).isEqualTo(-1));
            assertThat(world.groups().getFirst().groupRank(4)).isEqualTo(4);
        }
    }

    /** Two agents on one machine, as torchrun has them where it is tried out. */
    @Test
    void place_withALaunchersVariables_isTheirs() {
        try (WorldContract.World world = TcpWorlds.open(
                4,
                config -> launched(
                        config,
                        Map.of(
                                "LOCAL_RANK",
                                Integer.toString(config.rank() % 2),
                                "LOCAL_WORLD_SIZE",
                                "2",
                                "GROUP_RANK",
                                Integer.toString(config.rank() / 2),
                                "GROUP_WORLD_SIZE",
                                "2")))) {
            assertThat(places(world.groups()))
                    .containsExactly(
                            List.of(0, 2, 0, 2), List.of(1, 2, 0, 2), List.of(0, 2, 1, 2), List.of(1, 2, 1, 2));
        }
    }

    @Test
    void place_withSomeVariables_takesTheOthersFromTheHosts() {
        try (WorldContract.World world = TcpWorlds.open(
                2, config -> launched(config, Map.of("LOCAL_RANK", Integer.toString(1 - config.rank()))))) {
            assertThat(places(world.groups())).containsExactly(List.of(1, 2, 0, 1), List.of(0, 2, 0, 1));
        }
    }

    @Test
    void place_whereTheHostsAreNamed_followsFromTheNames() {
        try (WorldContract.World world = TcpWorlds.open(
                2,
                config -> launched(
                        config,
                        Map.of(
                                "LOCAL_RANK",
                                Integer.toString(config.rank()),
                                "LOCAL_WORLD_SIZE",
                                "2",
                                "RCOMM_HOST_ID",
                                HOSTS.get(config.rank()))))) {
            assertThat(places(world.groups())).containsExactly(List.of(0, 1, 0, 2), List.of(0, 1, 1, 2));
        }
    }

    private static CommConfig launched(CommConfig config, Map<String, String> place) {
        Map<String, String> environment = new HashMap<>(place);
        environment.put("RANK", Integer.toString(config.rank()));
        environment.put("WORLD_SIZE", Integer.toString(config.worldSize()));
        environment.put("MASTER_PORT", Integer.toString(config.port()));
        environment.put("RCOMM_STORE_HOSTED", "1");
        environment.put("RCOMM_TOKEN", Objects.requireNonNull(config.token()));
        environment.put("RCOMM_TRANSPORT", config.transport());
        return CommConfig.fromEnvironment(environment);
    }

    @Test
    void engines_ofAChoice_sayWhatIsChosenAndWhy() {
        try (WorldContract.World world = TcpWorlds.open(2, config -> config.withBackend("cpu:instant"))) {
            ProcessGroup group = world.groups().getFirst();

            assertThat(group.backend(Device.CPU)).isEqualTo("instant");
            assertThat(group.backend(new Device("cuda", 0))).isEmpty();
            assertThat(group.engines())
                    .extracting(EngineUse::name)
                    .startsWith("links")
                    .contains("endless", "instant")
                    .doesNotHaveDuplicates();
            assertThat(group.engines())
                    .filteredOn(EngineUse::isChosen)
                    .singleElement()
                    .satisfies(use -> {
                        assertThat(use.name()).isEqualTo("instant");
                        assertThat(use.devices()).containsExactly("cpu");
                        assertThat(use.chosenFor()).containsExactly("cpu");
                        assertThat(use.why()).isEqualTo("backend=cpu:instant chooses it");
                    });
        }
    }

    @Test
    void engines_byDefault_areTheLinks_andOthersSayHowToChooseThem() {
        try (WorldContract.World world = TcpWorlds.open(1, config -> config)) {
            ProcessGroup group = world.groups().getFirst();

            assertThat(group.backend(Device.CPU)).isEqualTo("links");
            assertThat(group.engines().getFirst().chosenFor()).containsExactly("cpu");
            assertThat(group.engines().getFirst().why()).isEqualTo("backend=cpu:links chooses it");
            assertThat(group.engines())
                    .filteredOn(use -> use.name().equals("instant"))
                    .singleElement()
                    .satisfies(use -> {
                        assertThat(use.isChosen()).isFalse();
                        assertThat(use.why())
                                .isEqualTo("backend=cpu:links does not choose it; RCOMM_BACKEND=instant would");
                    });
        }
    }
}
