package io.reactivecomm.rcomm.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.observability.doctor.Diagnosis;
import io.reactivecomm.observability.doctor.Disease;
import io.reactivecomm.observability.doctor.Doctor;
import io.reactivecomm.observability.doctor.DumpFiles;
import io.reactivecomm.observability.doctor.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import reactor.core.publisher.Flux;

/** A job of ranks in this JVM, each of which runs its program on a thread of its own until the job is closed. */
final class PlantedJob implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final LocalWorld world;
    private final Path folder;
    private final List<Thread> programs = new ArrayList<>();

    /** The program of a rank. */
    interface Program {

        void run(ProcessGroup group) throws Exception;
    }

    /** @param folder for the dumps */
    PlantedJob(int ranks, Path folder, Program program) {
        world = ReactiveComm.local(ranks);
        this.folder = folder;
        for (ProcessGroup group : world.groups()) {
            programs.add(
                    Thread.ofPlatform().daemon().name("program-" + group.rank()).start(() -> run(group, program)));
        }
    }

    private static void run(ProcessGroup group, Program program) {
        try {
            program.run(group);
        } catch (Exception e) {
            // The job is over, or the program has ended as it should.
        }
    }

    List<Thread> programs() {
        return programs;
    }

    /**
     * Dumps all ranks again and again until the doctor finds that and nothing else, in those words, and asserts that it does: the ranks come to where they
     * stand still one after the other.
     */
    void requireDiagnosis(Disease disease, List<Integer> culprits, String... words) throws IOException {
        long until = System.nanoTime() + LIMIT.toNanos();
        Diagnosis diagnosis = diagnose();
        while (!isFound(diagnosis, disease, culprits, words) && System.nanoTime() < until) {
            diagnosis = diagnose();
        }
        String text = diagnosis.text();
        assertThat(diagnosis.findings()).as(text).extracting(Finding::disease).containsExactly(disease);
        assertThat(diagnosis.findings().getFirst().culprits()).as(text).isEqualTo(culprits);
        assertThat(text).contains(words);
    }

    /** {@return what the doctor says now} */
    String text() throws IOException {
        return diagnose().text();
    }

    private static boolean isFound(Diagnosis diagnosis, Disease disease, List<Integer> culprits, String... words) {
        return diagnosis.findings().size() == 1
                && diagnosis.findings().getFirst().disease() == disease
                && diagnosis.findings().getFirst().culprits().equals(culprits)
                && Arrays.stream(words).allMatch(diagnosis.text()::contains);
    }

    private Diagnosis diagnose() throws IOException {
        List<Path> files = Flux.fromIterable(world.groups())
                .flatMap(group -> group.dump(folder.resolve("rank-" + group.rank() + ".json")))
                .collectList()
                .block(LIMIT);
        return Doctor.diagnose(DumpFiles.read(files).dumps());
    }

    @Override
    public void close() {
        programs.forEach(Thread::interrupt);
        world.close();
        for (Thread program : programs) {
            try {
                program.join(LIMIT);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            assertThat(program.isAlive()).as(program.getName()).isFalse();
        }
    }
}
