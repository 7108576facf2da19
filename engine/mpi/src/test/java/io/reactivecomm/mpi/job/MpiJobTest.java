package io.reactivecomm.mpi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs of the installed Open MPI and MPICH, whose ranks meet without an address. A rank says what it waits for in vain, and a job what its ranks have said: both do so before
 * the tests' limit, which tells neither.
 */
@Timeout(MpiJob.LIMIT_SECONDS + 30)
class MpiJobTest {

    private static final String[] ALL = {
        "COLLECTIVES", "OVERLAPPING_GROUPS", "EVERYTHING_ELSE", "DISAGREEMENT", "DEADLINE", "FEW_GROUPS"
    };

    private static Stream<Arguments> installations() {
        return Stream.of(Arguments.of(MpiInstallation.OPEN_MPI, 3), Arguments.of(MpiInstallation.MPICH, 2));
    }

    private static void requireInstalled(MpiInstallation mpi) {
        assumeTrue(mpi.launcher().isPresent(), mpi::absence);
    }

    private static void requireAll(MpiInstallation mpi, int ranks, String... cases) throws Exception {
        requireInstalled(mpi);
        MpiJob.End end = MpiJob.run(mpi, ranks, false, cases);
        assertThat(end.exitCode()).as(end.output()).isZero();
        for (String each : cases) {
            assertThat(end.said("ok " + each)).as(end.output()).isEqualTo(ranks);
        }
    }

    @Test
    void openMpi_twoRanks() throws Exception {
        requireAll(MpiInstallation.OPEN_MPI, 2, "COLLECTIVES", "DISAGREEMENT");
    }

    @Tag("thorough")
    @Test
    void openMpi_twoRanks_allCases() throws Exception {
        requireAll(MpiInstallation.OPEN_MPI, 2, ALL);
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("installations")
    void allCases(MpiInstallation mpi, int ranks) throws Exception {
        requireAll(mpi, ranks, ALL);
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("installations")
    void fiveThousandGroups(MpiInstallation mpi, int ranks) throws Exception {
        requireAll(mpi, ranks, "MANY_GROUPS");
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("installations")
    void rankThatIsKilled_isLost_andTheOthersGoOn(MpiInstallation mpi, int ranks) throws Exception {
        requireInstalled(mpi);
        MpiJob.End end = MpiJob.run(mpi, ranks, true, "KILL");
        assertThat(end.said("ok KILL")).as(end.output()).isEqualTo(ranks - 1L);
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("installations")
    void rankThatIsStopped_isLost_andTensorsAreReleasedWhenItGoesOn(MpiInstallation mpi, int ranks) throws Exception {
        requireInstalled(mpi);
        MpiJob.End end = MpiJob.run(mpi, ranks, true, "STOP");
        assertThat(end.said("ok STOP")).as(end.output()).isEqualTo(ranks);
    }
}
