package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommConfigTest {

    private static final Map<String, String> PLACE = Map.of("RANK", "1", "WORLD_SIZE", "4");

    private static Map<String, String> placeWith(String name, String value) {
        Map<String, String> environment = new HashMap<>(PLACE);
        environment.put(name, value);
        return environment;
    }

    @Test
    void fromEnvironment_rankAndWorldSizeAlone_takesTheDefaults() {
        CommConfig config = CommConfig.fromEnvironment(PLACE);

        assertThat(config.rank()).isEqualTo(1);
        assertThat(config.worldSize()).isEqualTo(4);
        assertThat(config.host()).isEqualTo("127.0.0.1");
        assertThat(config.port()).isEqualTo(CommConfig.DEFAULT_PORT);
        assertThat(config.timeout()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.token()).isNull();
        assertThat(config.plaintext()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "JOB_COMPLETION_INDEX"})
    void fromEnvironment_ofALauncherWhoseModuleIsMissing_namesTheModule(String variable) {
        assertThatThrownBy(() -> CommConfig.fromEnvironment(Map.of(variable, "1")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("missing: variable=RANK", variable + " is set", "reactive-comm-launch")
                .hasMessageNotContaining("start the program with");
    }

    @Test
    void fromEnvironment_everythingSet_readsEverything() {
        Map<String, String> environment = new HashMap<>(PLACE);
        environment.putAll(Map.of(
                "MASTER_ADDR", "10.0.0.1",
                "MASTER_PORT", "1234",
                "RCOMM_TOKEN", "secret",
                "RCOMM_TIMEOUT_SECONDS", "30",
                "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", "5",
                "RCOMM_STORE_HOSTED", "1",
                "RCOMM_PLAINTEXT", "true",
                "RCOMM_CALL_SITES", "1",
                "RCOMM_HOST_ID", "left"));
        environment.putAll(Map.of(
                "RCOMM_TRANSPORT", "shm",
                "RCOMM_BACKEND", "cuda:nccl",
                "RCOMM_OFF", "all-reduce",
                "RCOMM_ALGORITHMS", "all-reduce=ring",
                "RCOMM_BITS", "any-order",
                "RCOMM_HEARTBEAT_MILLIS", "50",
                "RCOMM_SILENCE_MILLIS", "700",
                "RCOMM_OBJECT_BYTES", "4096",
                "RCOMM_DUMP", "dumps"));

        CommConfig config = CommConfig.fromEnvironment(environment);

        CommConfig expected = CommConfig.of(1, 4, "10.0.0.1", 1234)
                .withToken("secret")
                .withTimeout(Duration.ofSeconds(30))
                .withRendezvousTimeout(Duration.ofSeconds(5))
                .withHeartbeats(Duration.ofMillis(50), Duration.ofMillis(700))
                .withStoreHosted(true)
                .withPlaintext(true)
                .withCallSites(true)
                .withHostId("left")
                .withTransport("shm")
                .withBackend("cuda:nccl")
                .withOff(Set.of(Operation.ALL_REDUCE))
                .withAlgorithms("all-reduce=ring")
                .withBits(Bits.ANY_ORDER)
                .withObjectBytes(4096)
                .withDumps(Path.of("dumps"));
        assertThat(config).isEqualTo(expected);
        assertThat(config.toString()).doesNotContain("secret");
        assertThat(config.agreed())
                .containsEntry("RCOMM_HEARTBEAT_MILLIS", "50")
                .containsEntry("RCOMM_SILENCE_MILLIS", "700");
    }

    @Test
    void fromEnvironment_portOfTheStore_winsOverThatOfTheProgram() {
        Map<String, String> both =
                Map.of("RANK", "0", "WORLD_SIZE", "2", "MASTER_PORT", "not ours", "RCOMM_MASTER_PORT", "29501");
        assertThat(CommConfig.fromEnvironment(both).port()).isEqualTo(29501);
        assertThat(CommConfig.fromEnvironment(placeWith("RCOMM_MASTER_PORT", "4000"))
                        .port())
                .isEqualTo(4000);
        assertThat(CommConfig.fromEnvironment(placeWith("MASTER_PORT", "4001")).port())
                .isEqualTo(4001);
        assertThat(CommConfig.fromEnvironment(PLACE).port()).isEqualTo(CommConfig.DEFAULT_PORT);
    }

    @ParameterizedTest
    @CsvSource({
        "RANK, 4, RANK=4",
        "RANK, -1, RANK=-1",
        "RANK, one, RANK=one",
        "WORLD_SIZE, 0, WORLD_SIZE=0",
        "RCOMM_MASTER_PORT, 70000, RCOMM_MASTER_PORT=70000",
        "RCOMM_MASTER_PORT, many, RCOMM_MASTER_PORT=many",
        "MASTER_PORT, 70000, MASTER_PORT=70000",
        "RCOMM_TIMEOUT_SECONDS, 0, RCOMM_TIMEOUT_SECONDS",
        "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS, 99999999999, RCOMM_RENDEZVOUS_TIMEOUT_SECONDS",
        "RCOMM_HEARTBEAT_MILLIS, 9, RCOMM_HEARTBEAT_MILLIS=9",
        "RCOMM_HEARTBEAT_MILLIS, 60001, RCOMM_HEARTBEAT_MILLIS=60001",
        "RCOMM_HEARTBEAT_MILLIS, 301, RCOMM_SILENCE_MILLIS=3000",
        "RCOMM_SILENCE_MILLIS, 999, RCOMM_SILENCE_MILLIS=999",
        "RCOMM_SILENCE_MILLIS, 3600001, RCOMM_SILENCE_MILLIS=3600001",
        "RCOMM_SILENCE_MILLIS, 3 s, RCOMM_SILENCE_MILLIS=3 s",
        "RCOMM_OBJECT_BYTES, 0, RCOMM_OBJECT_BYTES=0",
        "RCOMM_OBJECT_BYTES, 1073741825, RCOMM_OBJECT_BYTES=1073741825",
        "RCOMM_OBJECT_BYTES, 16MiB, RCOMM_OBJECT_BYTES=16MiB",
        "RCOMM_BACKEND, ' ', RCOMM_BACKEND",
        "RCOMM_HOST_ID, ' ', RCOMM_HOST_ID",
        "RCOMM_OFF, allreduce, unknown operation: RCOMM_OFF=allreduce"
    })
    void fromEnvironment_valueThatCannotBe_namesTheVariable(String name, String value, String named) {
        assertThatThrownBy(() -> CommConfig.fromEnvironment(placeWith(name, value)))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining(named)
                .hasMessageContaining(";");
    }

    @Test
    void fromEnvironment_blanksAndLineEndsAroundEachValue_areNoPartOfIt() {
        Map<String, String> clean = new HashMap<>(PLACE);
        clean.putAll(Map.of(
                "MASTER_ADDR", "10.0.0.1",
                "MASTER_PORT", "1234",
                "RCOMM_TOKEN", "a secret",
                "RCOMM_TIMEOUT_SECONDS", "30",
                "RCOMM_STORE_HOSTED", "true",
                "RCOMM_HOST_ID", "left",
                "RCOMM_TRANSPORT", "shm",
                "RCOMM_WAITING", "park",
                "RCOMM_CONGESTION", "cubic",
                "RCOMM_LANES", "2"));
        clean.putAll(Map.of(
                "RCOMM_INTERFACE", "ib0",
                "RCOMM_BACKEND", "cuda:nccl",
                "RCOMM_OFF", "all-reduce",
                "RCOMM_ALGORITHMS", "all-reduce=ring",
                "RCOMM_BITS", "any-order",
                "RCOMM_SILENCE_MILLIS", "2000",
                "RCOMM_OBJECT_BYTES", "4096",
                "RCOMM_LEAKS", "simple",
                "RCOMM_COMMS_LOG", "off",
                "RCOMM_DUMP", "dumps"));
        Map<String, String> untidy = new HashMap<>();
        clean.forEach((name, value) -> untidy.put(name, " \t" + value + " \r\n"));

        assertThat(CommConfig.fromEnvironment(untidy)).isEqualTo(CommConfig.fromEnvironment(clean));
    }

    @Test
    void textsOfTheProgram_blanksAndLineEndsAroundThem_areNoPartOfThem() {
        CommConfig clean = CommConfig.of(0, 2, "node1", 1)
                .withToken("a secret")
                .withHostId("left")
                .withTransport("tcp")
                .withBackend("cpu:links")
                .withAlgorithms("all-reduce=ring")
                .withCongestion("cubic")
                .withInterface("ib0");
        assertThat(CommConfig.of(0, 2, " node1\r", 1)
                        .withToken(" a secret\n")
                        .withHostId("left\r")
                        .withTransport("tcp\r")
                        .withBackend("cpu:links ")
                        .withAlgorithms("all-reduce=ring\r")
                        .withCongestion(" cubic")
                        .withInterface("ib0\n"))
                .isEqualTo(clean);
        assertThat(CommConfig.of(" tcp://node1:1\r", 0, 2)).isEqualTo(CommConfig.of(0, 2, "node1", 1));
        assertThat(clean.withToken("\r\n").token()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:29500",
                "http://127.0.0.1",
                "tcp://node1",
                "node1:29500",
                "[fd77::1]:29500",
                "10.0.0.300",
                "node 1",
                "a/b",
                ""
            })
    void fromEnvironment_addressThatIsNone_isAnErrorAtOnceWithTheRemedy(String address) {
        assertThatThrownBy(() -> CommConfig.fromEnvironment(placeWith("MASTER_ADDR", address)))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("MASTER_ADDR=" + address + ";")
                .hasMessageContaining("MASTER_PORT");
    }

    @Test
    void fromEnvironment_controlCharacterInside_isShown() {
        assertThatThrownBy(() -> CommConfig.fromEnvironment(placeWith("MASTER_ADDR", "node1\r\nnode2")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("MASTER_ADDR=node1\\r\\nnode2;");
        assertThatThrownBy(() -> CommConfig.fromEnvironment(placeWith("RCOMM_BITS", "any\u0000order")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_BITS=any\\u0000order;");
    }

    @Test
    void fromEnvironment_noRank_saysHowToStart() {
        assertThatThrownBy(() -> CommConfig.fromEnvironment(Map.of("WORLD_SIZE", "2")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RANK")
                .hasMessageContaining("rcomm run");
    }

    @Test
    void of_tcpAddress_readsHostAndPort() {
        CommConfig config = CommConfig.of("tcp://127.0.0.1:5555", 0, 2);

        assertThat(config.host()).isEqualTo("127.0.0.1");
        assertThat(config.port()).isEqualTo(5555);
    }

    @Test
    void of_tcpAddressWithIpv6_readsHostAndPort() {
        assertThat(CommConfig.of("tcp://[::1]:5555", 0, 2).host()).isEqualTo("::1");
    }

    @Test
    void of_file_takesThePathAndLetsTheSystemPickAPort() {
        CommConfig config = CommConfig.of("file:///shared/my%20job", 1, 2);

        assertThat(config.file()).isEqualTo(Path.of("/shared/my job"));
        assertThat(config.host()).isEqualTo("127.0.0.1");
        assertThat(config.port()).isZero();
        assertThat(CommConfig.of(1, 2, "127.0.0.1", 5).file()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "file://shared/name, three slashes",
        "file:name, cannot read",
        "file:///shared/../name, goes up",
        "file:///shared/%2e%2e/name, goes up",
        "file:///shared/./name, goes up",
        "file:///, absolute path to a file",
        "file:///shared/a%00b, cannot read",
        "file:///shared/name?rank=1, cannot read"
    })
    void of_filePathThatMayNotBe_saysWhy(String initMethod, String why) {
        assertThatThrownBy(() -> CommConfig.of(initMethod, 0, 2))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining(why)
                .hasMessageContaining(";");
    }

    @Test
    void file_ofAStoreThatSomebodyElseRuns_isRefused() {
        CommConfig config = CommConfig.of("file:///shared/name", 0, 2);
        assertThatThrownBy(() -> config.withStoreHosted(true)).isInstanceOf(RendezvousException.class);
    }

    @Test
    void port_ofTheSystemsChoiceWithoutAFile_isRefused() {
        assertThatThrownBy(() -> CommConfig.of(0, 2, "127.0.0.1", 0)).hasMessageContaining("MASTER_PORT=0");
    }

    @Test
    void of_environment_isReadLikeTheEnvironmentWhereTheArgumentsWin() {
        Map<String, String> environment = Map.of("RANK", "1", "WORLD_SIZE", "4", "MASTER_PORT", "1234");

        assertThat(CommConfig.of("env://", -1, -1, environment)).isEqualTo(CommConfig.fromEnvironment(environment));
        CommConfig given = CommConfig.of("env://", 2, 3, environment);
        assertThat(given.rank()).isEqualTo(2);
        assertThat(given.worldSize()).isEqualTo(3);
        assertThat(given.port()).isEqualTo(1234);
        assertThatThrownBy(() -> CommConfig.of("env://", -1, 2, Map.of())).hasMessageContaining("RANK");
    }

    @ParameterizedTest
    @CsvSource({"http://host:1", "tcp://host", "tcp://:5", "not an address"})
    void of_otherAddress_namesTheForm(String initMethod) {
        assertThatThrownBy(() -> CommConfig.of(initMethod, 0, 2))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("tcp://host:port");
    }

    private static Meeting meeting(int rank, int size) {
        return Meeting.blocking(rank, size, own -> List.of());
    }

    @Test
    void meeting_givesThePlace_andTheSystemPicksThePort() {
        CommConfig config = CommConfig.of(meeting(2, 5));

        assertThat(config.rank()).isEqualTo(2);
        assertThat(config.worldSize()).isEqualTo(5);
        assertThat(config.host()).isEqualTo(StoreAddress.CHOSEN);
        assertThat(config.port()).isZero();
        assertThat(config.withListener("ib0", 0).store()).hasToString("all-gather to ib0:0");
        assertThat(config.store()).hasToString("all-gather");
    }

    @Test
    void meeting_withAnEnvironment_takesItsSettings_andNoAddress() {
        Map<String, String> environment = Map.of(
                "MASTER_ADDR",
                "elsewhere",
                "MASTER_PORT",
                "1234",
                "RCOMM_MASTER_PORT",
                "x",
                "RCOMM_LISTEN",
                " ib0 ",
                "RCOMM_PLAINTEXT",
                "1",
                "RANK",
                "3");
        CommConfig config = CommConfig.fromEnvironment(environment, meeting(2, 5));

        assertThat(config.rank()).isEqualTo(3);
        assertThat(config.worldSize()).isEqualTo(5);
        assertThat(config.host()).isEqualTo("ib0");
        assertThat(config.port()).isZero();
        assertThat(config.plaintext()).isTrue();
    }

    @Test
    void withMeeting_takesThePlaceOfAnAddressAndAFile() {
        Meeting meeting = meeting(0, 2);
        CommConfig config =
                CommConfig.of("file:///tmp/job", 0, 2).withToken("mine").withMeeting(meeting);

        assertThat(config.file()).isNull();
        assertThat(config.meeting()).isSameAs(meeting);
        assertThat(config.token()).isEqualTo("mine");
    }

    @Test
    void meeting_ofAStoreThatSomebodyElseRuns_isRefused() {
        CommConfig hosted = CommConfig.of(0, 2, "127.0.0.1", 1).withStoreHosted(true);

        assertThatThrownBy(() -> hosted.withMeeting(meeting(0, 2)))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("storeHosted=true");
    }
}
