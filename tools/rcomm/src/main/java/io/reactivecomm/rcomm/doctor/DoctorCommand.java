package io.reactivecomm.rcomm.doctor;

import io.reactivecomm.observability.doctor.Diagnosis;
import io.reactivecomm.observability.doctor.Doctor;
import io.reactivecomm.observability.doctor.DumpFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rcomm doctor}. */
@Command(
        name = "doctor",
        header = "Says from the dumps of a job's ranks who is late, in which call, and where ranks diverged.",
        description = {
            "",
            "A rank writes dumps of its flight recorder into the folder that RCOMM_DUMP names: when something fails, and at the signal USR1"
                    + " (`kill -USR1 PID`). A program writes one by group.dump(file). Of each rank the newest counts, of several worlds"
                    + " the newest one. See docs/slow-job.md.",
            ""
        })
public final class DoctorCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "DUMPS", arity = "1..*", description = "Dumps of one job, or folders of them.")
    private List<Path> dumps = List.of();

    private DoctorCommand() {}

    public static CommandLine commandLine() {
        return new CommandLine(new DoctorCommand());
    }

    @Override
    public Integer call() throws IOException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        DumpFiles files = DumpFiles.read(dumps);
        Diagnosis diagnosis = Doctor.diagnose(files.dumps());
        Stream.concat(files.warnings().stream(), diagnosis.warnings().stream())
                .forEach(warning -> command.getErr().println("rcomm doctor: " + warning));
        command.getOut().println(diagnosis.text());
        return 0;
    }
}
