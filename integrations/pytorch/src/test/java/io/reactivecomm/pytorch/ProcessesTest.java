package io.reactivecomm.pytorch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The test of ranks in processes of their own, one of which is lost. */
class ProcessesTest {

    @Test
    void overSharedMemory_ranksTrainAlike_andTheOneThatIsLeftKeepsItsGradients() throws Exception {
        requireKept("shm");
    }

    @Test
    @Tag("thorough")
    void overTcp_ranksTrainAlike_andTheOneThatIsLeftKeepsItsGradients() throws Exception {
        requireKept("tcp");
    }

    private static void requireKept(String transport) throws Exception {
        try (RankJvms ranks = new RankJvms(RankProgram.class, 2, transport, List.of())) {
            String ofRank1 = ranks.output(1);
            String ofRank0 = ranks.output(0);

            assertThat(ofRank0).contains("lost ", "kept true");
            assertThat(parameters(ofRank0)).isEqualTo(parameters(ofRank1));
        }
    }

    private static String parameters(String output) {
        return output.lines()
                .filter(line -> line.startsWith("parameters "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no parameters in: " + output));
    }
}
