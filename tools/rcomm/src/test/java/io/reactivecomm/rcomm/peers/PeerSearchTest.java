package io.reactivecomm.rcomm.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Finding peers among scripts that say what the real programs say. */
@Timeout(60)
class PeerSearchTest {

    private static final PeerRequest REQUEST = FakePrograms.request(4L);

    /** {@return a compiler that makes a program of a file which contains that word, and of no other} */
    private static String compiles(String word) {
        return """
                while [ "$1" != -o ]; do source=$1; shift; done
                grep -q %s "$source" || exit 1
                printf '#!/bin/sh\\n' >"$2"; chmod +x "$2"
                """.formatted(word);
    }

    @TempDir
    private Path folder;

    private Path bin;
    private Path scratch;

    @BeforeEach
    void makeFolders() throws Exception {
        bin = Files.createDirectory(folder.resolve("bin"));
        scratch = Files.createDirectory(folder.resolve("scratch"));
    }

    private PeerAvailability find(PeerKind peer, int ranks) {
        return new PeerSearch("/no/such/folder:" + bin, bin.toString(), scratch).find(peer, ranks);
    }

    private PeerProgram installed(PeerKind peer) {
        return assertThat(find(peer, 2))
                .asInstanceOf(InstanceOfAssertFactories.type(PeerAvailability.Installed.class))
                .actual()
                .program();
    }

    private String reason(PeerKind peer, int ranks) {
        return assertThat(find(peer, ranks))
                .asInstanceOf(InstanceOfAssertFactories.type(PeerAvailability.Missing.class))
                .actual()
                .reason();
    }

    private void install(String name, String body) {
        FakePrograms.script(bin, name, body);
    }

    @Test
    void find_nothingInstalled_saysWhatWouldHelp() {
        assertThat(reason(PeerKind.GLOO, 2))
                .contains("no python3 imports torch")
                .contains("python3-torch");
        assertThat(reason(PeerKind.OPENMPI_SM, 2))
                .contains("no mpirun says that it is Open MPI")
                .contains("openmpi-bin");
        assertThat(reason(PeerKind.OPENMPI_TCP, 2)).contains("openmpi-bin");
        assertThat(reason(PeerKind.MPICH, 2)).contains("no mpiexec.hydra").contains("mpich");
        assertThat(reason(PeerKind.LIMIT_SHM, 2)).contains("no C compiler").contains("gcc");
        assertThat(reason(PeerKind.MPJ, 2))
                .contains("no starter.jar in [" + bin + "]")
                .contains("libmpj-java");
    }

    @Test
    void find_secondPythonHasTorch_isTaken() {
        install("python3", "exit 1");
        Path other = folder.resolve("other");
        FakePrograms.script(other, "python3", "echo a warning; echo torch 9.9");

        PeerAvailability found = new PeerSearch(bin + ":" + other, "", scratch).find(PeerKind.GLOO, 2);

        PeerProgram gloo = ((PeerAvailability.Installed) found).program();
        assertThat(gloo.version()).isEqualTo("torch 9.9, " + other.resolve("python3"));
        List<String> command = gloo.command().apply(REQUEST);
        assertThat(command)
                .startsWith(
                        other.resolve("python3").toString(),
                        scratch.resolve("peer_bench.py").toString(),
                        "2");
        assertThat(gloo.command().apply(REQUEST))
                .as("ranks meet in a file of their own each time")
                .isNotEqualTo(command);
        assertThat(scratch.resolve("peer_bench.py")).isNotEmptyFile();
    }

    @Test
    void find_openMpi_runsOverTheLinksThatItIsNamedFor() {
        install("mpirun", "echo 'mpirun (Open MPI) 4.9'");
        install(
                "mpicc",
                "[ \"$1\" = --showme:version ] && echo 'mpicc: Open MPI 4.9' && exit 0\n" + compiles("MPI_Init"));
        assertThat(installed(PeerKind.OPENMPI_SM).command().apply(REQUEST))
                .startsWith(bin.resolve("mpirun").toString(), "--oversubscribe", "-np", "2")
                .contains("vader,self")
                .endsWith(scratch.resolve("peer_bench_openmpi").toString());
        assertThat(installed(PeerKind.OPENMPI_TCP).command().apply(REQUEST))
                .contains("tcp,self", "btl_tcp_if_include", "lo");
        assertThat(installed(PeerKind.OPENMPI_TCP).version()).isEqualTo("mpirun (Open MPI) 4.9");
    }

    @Test
    void find_mpirunOfAnother_isNotOpenMpi() {
        install("mpirun", "echo 'HYDRA build details'");
        assertThat(reason(PeerKind.OPENMPI_SM, 2)).contains("no mpirun says that it is Open MPI");
    }

    @Test
    void find_compilerFails_saysWhy() {
        install("mpirun.openmpi", "echo 'mpirun (Open MPI) 4.9'");
        install(
                "mpicc.openmpi",
                "[ \"$1\" = --showme:version ] && echo 'Open MPI' && exit 0\necho 'no stdio.h'; exit 1");
        assertThat(reason(PeerKind.OPENMPI_SM, 2))
                .isEqualTo("cannot be compiled: " + bin.resolve("mpicc.openmpi") + " says: no stdio.h");
    }

    @Test
    void find_mpich_isForTwoRanksOnly() {
        install("mpiexec.hydra", "printf 'HYDRA build details:\\n    Version:   4.9\\n'");
        install(
                "mpicc.mpich",
                "[ \"$1\" = -v ] && echo 'mpicc for MPICH version 4.9' && exit 0\n" + compiles("MPI_Init"));
        PeerProgram mpich = installed(PeerKind.MPICH);
        assertThat(mpich.version()).isEqualTo("MPICH 4.9");
        assertThat(mpich.command().apply(REQUEST))
                .containsExactly(
                        bin.resolve("mpiexec.hydra").toString(),
                        "-n",
                        "2",
                        scratch.resolve("peer_bench_mpich").toString());
        assertThat(reason(PeerKind.MPICH, 4)).contains("only 2 ranks are measured, and not 4");
    }

    @Test
    void find_limits_areOneProgramForBothLinks() {
        install("gcc", compiles("over_shm"));
        String program = scratch.resolve("limit").toString();
        assertThat(installed(PeerKind.LIMIT_SHM).command().apply(REQUEST)).containsExactly(program, "shm", "2");
        assertThat(installed(PeerKind.LIMIT_TCP).command().apply(REQUEST)).containsExactly(program, "tcp", "2");
    }

    @Test
    void find_mpjJarsThatAreNone_saysWhatTheCompilerSays() throws Exception {
        for (String name : List.of(
                "starter",
                "log4j-1.2",
                "mpj",
                "mpi",
                "mpiExp",
                "mpjbuf",
                "mpjdev",
                "smpdev",
                "xdev",
                "runtimecommon")) {
            Files.writeString(bin.resolve(name + ".jar"), "no jar");
        }
        assertThat(reason(PeerKind.MPJ, 2)).startsWith("cannot be compiled: javac says: ");
    }
}
