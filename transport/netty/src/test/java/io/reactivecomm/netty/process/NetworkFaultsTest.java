package io.reactivecomm.netty.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes in network namespaces whose network loses, slows down, breaks and heals. Times are printed, and shown in docs/reliability.md. */
@Tag("thorough")
@Timeout(300)
class NetworkFaultsTest {

    private static final int VICTIM = 1;

    private final List<RankJvm> ranks = new ArrayList<>();
    private Namespaces network;

    @BeforeEach
    void requireNamespaces() throws Exception {
        String refusal = Namespaces.refusal();
        assumeTrue(refusal == null, refusal);
    }

    @AfterEach
    void end() {
        ranks.forEach(RankJvm::close);
        if (network != null) {
            network.close();
        }
    }

    private void start(int count) throws Exception {
        network = new Namespaces(count);
        for (int rank = 0; rank < count; rank++) {
            Map<String, String> environment = Map.of(
                    "RANK",
                    Integer.toString(rank),
                    "WORLD_SIZE",
                    Integer.toString(count),
                    "MASTER_ADDR",
                    Namespaces.address(0),
                    "MASTER_PORT",
                    "29500",
                    "RCOMM_TOKEN",
                    "a token for ranks in namespaces");
            ranks.add(new RankJvm(rank, network.prefix(rank), environment, CutRank.class));
        }
        for (RankJvm rank : ranks) {
            rank.await("ready");
        }
    }

    /** The end of a group, as a rank was told of it. */
    private record Told(int rank, String culprit, long after, String text) {}

    private Told told(int rank, String group, long since) throws InterruptedException {
        String[] line = ranks.get(rank).await("error " + group + " ").split(" ", 5);
        return new Told(rank, line[2], Long.parseLong(line[3]) - since, line[4]);
    }

    private static void print(String fault, List<Told> told) {
        for (Told each : told) {
            System.out.println(fault + ": rank " + each.rank + " after " + each.after + " ms, culprit " + each.culprit
                    + ": " + each.text);
        }
    }

    private Map<String, Long> calls(int rank) throws InterruptedException {
        ranks.get(rank).write("calls");
        Map<String, Long> calls = new java.util.LinkedHashMap<>();
        for (String each : ranks.get(rank).await("calls").substring(6).split(" ")) {
            calls.put(each.split("=")[0], Long.valueOf(each.split("=")[1]));
        }
        return calls;
    }

    /** Waits until calls of a group have succeeded since. */
    private void goesOn(int rank, String... groups) throws InterruptedException {
        Map<String, Long> before = calls(rank);
        for (String group : groups) {
            for (int look = 0; calls(rank).get(group) <= before.get(group) + 3; look++) {
                assertThat(look)
                        .as("looks at rank " + rank + ", group " + group + "; it said "
                                + ranks.get(rank).seen())
                        .isLessThan(200);
                ranks.get(rank).pause(100);
            }
        }
    }

    private void expectNoErrors() throws InterruptedException {
        for (RankJvm rank : ranks) {
            goesOn(rank.rank(), "world");
            assertThat(rank.seen()).noneMatch(line -> line.startsWith("error"));
        }
    }

    @ParameterizedTest
    @CsvSource({"3, 1800", "3, 2800", "4, 2800"})
    void blip_isSurvived(int count, long millis) throws Exception {
        start(count);
        long took = network.blip(VICTIM, millis);
        assumeTrue(took < 3000, "this machine is too busy for a blip of " + millis + " ms: it took " + took);
        expectNoErrors();
        System.out.println("blip of " + took + " ms, " + count + " ranks: survived");
    }

    @Test
    void blip_withoutDatagrams_isSurvivedIfShort() throws Exception {
        start(3);
        for (int rank = 0; rank < 3; rank++) {
            network.loseDatagramsTo(rank);
        }
        ranks.getFirst().pause(5000);
        expectNoErrors();
        long took = network.blip(VICTIM, 1500);
        assumeTrue(took < 2000, "this machine is too busy for a blip of 1500 ms: it took " + took);
        expectNoErrors();
        System.out.println("datagrams blocked, then a blip of " + took + " ms, 3 ranks: survived");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4})
    void lossOfATenth_andASlowLink_harmNobody(int count) throws Exception {
        start(count);
        for (int rank = 0; rank < count; rank++) {
            network.loseATenthTo(rank);
        }
        ranks.getFirst().pause(10_000);
        expectNoErrors();
        for (int rank = 0; rank < count; rank++) {
            network.heal(rank);
            network.slow(rank);
        }
        ranks.getFirst().pause(10_000);
        expectNoErrors();
        System.out.println("loss of 10 %, then 2 Mbit/s, " + count + " ranks: 10 s each, no error");
    }

    @ParameterizedTest
    @CsvSource({"3, both", "4, both", "3, from", "3, to"})
    void partition_isTheVictimsLoss_forAll(int count, String direction) throws Exception {
        start(count);
        if (!direction.equals("to")) {
            network.muteFrom(VICTIM);
        }
        if (!direction.equals("from")) {
            network.muteTo(VICTIM);
        }
        long since = System.currentTimeMillis();
        List<Told> told = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            told.add(told(rank, "world", since));
        }
        ranks.getFirst().pause(Math.max(0, since + 6000 - System.currentTimeMillis()));
        network.heal(VICTIM);
        print("partition (" + direction + "), " + count + " ranks", told);
        assertThat(told).allSatisfy(each -> assertThat(each.culprit).isEqualTo(Integer.toString(VICTIM)));
        assertThat(told.get(VICTIM).text).contains("this rank was declared lost");
        goesOn(0, "0+2");
        goesOn(2, "0+2");
        for (RankJvm rank : ranks) {
            assertThat(rank.seen()).noneMatch(line -> line.startsWith("error 0+2"));
        }
    }

    @Test
    void cutLink_endsWhatHoldsBothEnds_withOneText() throws Exception {
        start(3);
        network.cut(0, 1);
        long since = System.currentTimeMillis();
        List<Told> told = List.of(told(0, "world", since), told(1, "world", since), told(2, "world", since));
        print("cut between 0 and 1, 3 ranks", told);
        assertThat(told.get(0).culprit).isEqualTo("1");
        assertThat(told.get(1).culprit).isEqualTo("0");
        assertThat(told)
                .allSatisfy(
                        each -> assertThat(each.text).contains("the network is cut: ranks=[0, 1]", "either may be"));
        goesOn(2, "0+2", "1+2");
    }

    @Test
    void halves_eachLoseTheOther() throws Exception {
        start(4);
        for (int one : new int[] {0, 1}) {
            network.cut(one, 2);
            network.cut(one, 3);
        }
        long since = System.currentTimeMillis();
        List<Told> told = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            told.add(told(rank, "world", since));
        }
        print("halves of 4 ranks", told);
        assertThat(told).allSatisfy(each -> assertThat(each.text).contains("the network is cut", "no majority"));
        goesOn(0, "0+1");
        goesOn(2, "2+3");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void stoppedProcess_hearsWhatWasDecided(int count) throws Exception {
        start(count);
        long since = System.currentTimeMillis();
        ranks.get(VICTIM).signal("STOP");
        List<Told> told = new ArrayList<>();
        told.add(told(0, "world", since));
        ranks.getFirst().pause(Math.max(0, since + 6000 - System.currentTimeMillis()));
        ranks.get(VICTIM).signal("CONT");
        long resumed = System.currentTimeMillis();
        Told victim = told(VICTIM, "world", resumed);
        print("stopped, " + count + " ranks", told);
        print("resumed after 6 s, " + count + " ranks", List.of(victim));
        assertThat(told.getFirst().culprit).isEqualTo("1");
        assertThat(victim.text)
                .contains(count == 2 ? "the network is cut: ranks=[0, 1]" : "this rank was declared lost");
    }
}
