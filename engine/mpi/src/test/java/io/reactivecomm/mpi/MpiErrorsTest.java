package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors where there is no MPI, or one that cannot serve. */
@ExtendWith(NeedsGcc.class)
class MpiErrorsTest {

    private static final long LIMIT_SECONDS = 30;

    private static MpiLibrary open(String name) {
        return MpiLibrary.open(Map.of(MpiLibrary.VARIABLE, name));
    }

    @Test
    void noLibrary_saysWhatWasTried_andWhatToInstall() {
        assertThatThrownBy(() -> open("/nowhere/libmpi.so"))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessage(
                        "no library of MPI can be loaded: tried=[/nowhere/libmpi.so]; install Open MPI or MPICH (on Debian openmpi-bin or mpich), or"
                                + " name its libmpi.so by RCOMM_MPI_LIBRARY");
    }

    @Test
    void library_namedInAFileOfSettings_isTried(@TempDir Path folder) throws IOException {
        Path file =
                Files.writeString(folder.resolve("settings.json"), "{\"RCOMM_MPI_LIBRARY\": \"/nowhere/libother.so\"}");
        assertThatThrownBy(() -> MpiLibrary.open(Map.of("RCOMM_CONFIG", file.toString())))
                .hasMessageContaining("tried=[/nowhere/libother.so]");
    }

    @Test
    void libraryThatIsNoneOfMpis_isNamed() {
        assertThatThrownBy(() -> open("libm.so.6"))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessage(
                        "a library is none of MPI's: library=libm.so.6, missing=MPI_Init_thread; name another by RCOMM_MPI_LIBRARY");
    }

    @Test
    void libraryWithoutAFunction_isTooOld() throws IOException {
        Path old = DoubleLibrary.copy(DoubleDialect.OPEN_MPI, "-DMPI_Comm_create_group=hidden_function");
        try {
            MpiLibrary library = open(old.toString());
            assertThatThrownBy(() -> MpiProcess.of(library))
                    .isInstanceOf(UnsupportedCollectiveException.class)
                    .hasMessage("a library of MPI is too old, or none of Open MPI: library=" + old
                            + ", missing=MPI_Comm_create_group; install a"
                            + " newer one (MPI 3.1 or later), or name another by RCOMM_MPI_LIBRARY");
        } finally {
            DoubleProcess.delete(old);
        }
    }

    @Test
    void dialect_isTheLibrarys_whateverFolderItIsIn(@TempDir Path folder) throws IOException {
        Path inner = Files.createDirectory(folder.resolve("mpi_abi"));
        for (DoubleDialect dialect : DoubleDialect.values()) {
            Path copy = DoubleLibrary.copy(dialect);
            Path moved = Files.move(copy, inner.resolve(dialect.file()));

            assertThat(open(moved.toString()).dialect()).isEqualTo(dialect.dialect());
        }
    }

    /** {@return the places that processes of one meeting have, or why they have none} */
    private static List<CompletableFuture<MpiProcess.Place>> begun(DoubleMeeting meeting, List<MpiProcess> processes) {
        List<CompletableFuture<MpiProcess.Place>> places = new ArrayList<>();
        for (int rank = 0; rank < meeting.size(); rank++) {
            processes.add(meeting.join(rank));
        }
        processes.forEach(process -> places.add(process.begin()));
        return places;
    }

    private static Throwable error(CompletableFuture<?> future) {
        return catchThrowable(() -> future.get(LIMIT_SECONDS, TimeUnit.SECONDS)).getCause();
    }

    private static void end(DoubleMeeting meeting, List<MpiProcess> processes) {
        processes.forEach(process -> process.worker().close());
        meeting.settle();
    }

    @Test
    void mpiForOneThread_isRefused() {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.MPICH, 2);
        meeting.set(10, 1);
        List<MpiProcess> processes = new ArrayList<>();

        for (CompletableFuture<MpiProcess.Place> place : begun(meeting, processes)) {
            assertThat(error(place))
                    .isInstanceOf(UnsupportedCollectiveException.class)
                    .hasMessageStartingWith("MPI takes calls of one thread only: library=")
                    .hasMessageEndingWith(
                            ", version=a double of MPICH; install one with MPI_THREAD_MULTIPLE, and let nobody begin it without");
        }
        end(meeting, processes);
    }

    @Test
    void mpiThatSomebodyHasBegun_isTakenAsItIs() throws Exception {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.STANDARD, 1);
        List<MpiProcess> processes = List.of(meeting.join(0));
        assertThat(processes
                        .getFirst()
                        .call(() -> processes.getFirst().setup().begin())
                        .get(LIMIT_SECONDS, TimeUnit.SECONDS))
                .isTrue();

        assertThat(processes.getFirst().begin().get(LIMIT_SECONDS, TimeUnit.SECONDS))
                .isEqualTo(new MpiProcess.Place(0, 1));

        end(meeting, processes);
    }

    @Test
    void mpiThatHasEnded_isRefused() throws Exception {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.OPEN_MPI, 1);
        List<MpiProcess> processes = List.of(meeting.join(0));
        MpiProcess process = processes.getFirst();
        process.call(() -> {
                    process.setup().begin();
                    process.setup().end();
                    return true;
                })
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);

        assertThat(error(process.begin()))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessageContaining("MPI has ended in this process, and cannot begin again: library=")
                .hasMessageEndingWith("; join one world with it in each process");
        end(meeting, processes);
    }

    @Test
    void secondWorldOfAProcess_isRefused() {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.OPEN_MPI, 1);
        List<MpiProcess> processes = List.of(meeting.join(0));
        processes.getFirst().take();

        assertThatThrownBy(processes.getFirst()::take)
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessageStartingWith(
                        "a second world of this process cannot have MPI, which has one rank in each process and ends with its world: library=")
                .hasMessageEndingWith(
                        "; start a process for each rank with mpirun, and join one world there; ranks of ReactiveComm.local need no MPI");
        end(meeting, processes);
    }

    private static Throwable errorOfWorld(String engine, int size) {
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend("cpu:" + engine);
        return catchThrowable(() -> {
            try (LocalWorld world = ReactiveComm.local(size, settings)) {
                throw new AssertionError("a world was opened: " + world);
            }
        });
    }

    private static void requireErrorOfWorld(String engine, int size, String text) {
        Throwable error = errorOfWorld(engine, size);
        DoubleMeeting.taken().forEach(DoubleMeeting::abandon);

        assertThat(error).hasStackTraceContaining(text);
    }

    @Test
    void worldOfAnotherSizeThanMpis_isRefused() {
        requireErrorOfWorld(
                "mpi-alone",
                2,
                "MPI has another size than the world: MPI=1, worldSize=2, rank=0; start all ranks with one mpirun -np 2,"
                        + " each a process of its own");
    }

    @Test
    void ranksWithDifferentImplementations_areRefused() {
        requireErrorOfWorld(
                "mpi-mixed",
                2,
                "ranks have different implementations of MPI: rank 0 Open MPI, rank 1 MPICH; name one library for all by"
                        + " RCOMM_MPI_LIBRARY");
    }

    @Test
    void localWorld_isRefused() {
        requireErrorOfWorld("mpi-one", 2, "ranks of ReactiveComm.local need no MPI");
    }

    /** Each process would be a world of one, without a word. */
    @ParameterizedTest
    @ValueSource(strings = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    void libraryOfAnotherLauncher_isAnError(String variable) {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.OPEN_MPI, 1);
        MpiProcess process = meeting.join(0, Map.of(variable, "3"));

        assertThat(DoubleRanks.failure(process.begin()))
                .isInstanceOf(UnsupportedCollectiveException.class)
                .hasMessageStartingWith(
                        "a library of MPI does not know the launcher that has started this process: library=")
                .hasMessageEndingWith(
                        "dialect=Open MPI, processes=1, launched=3; use the launcher of that library, or name the launcher's library by"
                                + " RCOMM_MPI_LIBRARY");
        process.worker().close();
        meeting.settle();
    }

    /** Nobody waits for a thread that has ended. */
    @Test
    void processWhoseMpiHasEnded_refusesToMeet() {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.OPEN_MPI, 1);
        MpiProcess process = meeting.join(0);
        process.begin().join();
        process.end();

        for (CompletableFuture<?> late : List.of(process.begin(), process.call(() -> 1))) {
            assertThat(DoubleRanks.failure(late))
                    .isInstanceOf(UnsupportedCollectiveException.class)
                    .hasMessageStartingWith("MPI has ended in this process, and cannot begin again: library=");
        }
        meeting.settle();
    }

    @Test
    void worldThatWasNotOpened_mayBeTriedAgain() {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.OPEN_MPI, 1);
        MpiProcess process = meeting.join(0);
        process.take();
        assertThatThrownBy(process::take).isInstanceOf(UnsupportedCollectiveException.class);

        process.giveBack();

        process.take();
        process.worker().close();
        meeting.settle();
    }
}
