package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** Ranks that are started each by words of its own, and meet where those who start them say. */
class PlacedJobTest extends LocalJobFixture {

    private PlacedJob placed(JobOptions options) {
        Map<String, String> variables = Map.of("MASTER_ADDR", "10.0.0.9", "RANK", "7", "MINE", "place");
        return new PlacedJob(options, output(), rank -> new RankPlace(List.of("env", "HOST=h" + rank), variables));
    }

    @Test
    void run_eachRank_hasItsPrefixAndVariables() {
        JobOptions options = shell(
                        2, "echo $RANK $WORLD_SIZE $HOST $MASTER_ADDR $MINE ${#RCOMM_TOKEN} $RCOMM_STORE_HOSTED")
                .withEnvironment(Map.of("MINE", "job"));
        assertThat(placed(options).run().block(PATIENCE)).isZero();
        assertThat(out.lines())
                .containsExactlyInAnyOrder("[0] 0 2 h0 10.0.0.9 place 64", "[1] 1 2 h1 10.0.0.9 place 64");
    }

    @Test
    void run_tokenIsOneForAllRanks_andAnotherForTheNextJob() {
        PlacedJob job = placed(shell(2, "echo $RCOMM_TOKEN"));
        job.run().block(PATIENCE);
        job.run().block(PATIENCE);
        assertThat(out.lines().stream().map(line -> line.substring(4)).distinct())
                .hasSize(2);
    }

    @Test
    void run_rankFails_isTheExitCode() {
        assertThat(placed(shell(2, "exit $((40 + RANK * 0))")).run().block(PATIENCE))
                .isEqualTo(40);
    }

    @Test
    void run_unknownCommand_fails127() {
        StepVerifier.create(placed(JobOptions.of(2, List.of("no-such-program"))).run())
                .expectErrorSatisfies(error ->
                        assertThat(((LaunchException) error).exitCode()).isEqualTo(127))
                .verify(PATIENCE);
    }

    @Test
    void run_unknownPrefix_isNamed() {
        PlacedJob job =
                new PlacedJob(shell(1, "true"), output(), rank -> new RankPlace(List.of("no-such-prefix"), Map.of()));
        StepVerifier.create(job.run())
                .expectErrorMatches(error -> error.getMessage().contains("command=no-such-prefix, rank=0"))
                .verify(PATIENCE);
    }
}
