package io.reactivecomm.rcomm.gpu;

import io.reactivecomm.CommException;
import io.reactivecomm.rcomm.gpu.check.Check;
import io.reactivecomm.rcomm.gpu.check.Machine;
import io.reactivecomm.rcomm.gpu.check.SkippedCheck;
import io.reactivecomm.rcomm.output.ScratchFolder;
import io.reactivecomm.rcomm.peers.Probe;
import io.reactivecomm.samples.programs.world.JavaCommand;
import io.reactivecomm.samples.programs.world.MpiLauncher;
import io.reactivecomm.samples.programs.world.RankJvm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Collectives of tensors on the GPU by an installed MPI, on two ranks that share the GPU: staged in the host's memory, and by addresses where the library claims
 * to take them. Each way has a job of its own, as a false claim ends the processes.
 */
final class MpiCheck implements Check {

    static final int RANKS = 2;

    private static final String WAY = "RCOMM_MPI_CUDA";
    private static final String OFF = "off";
    private static final String AUTO = "auto";
    private static final String SAME = "host's bits";

    /** The line that a JVM prints when a signal ends it. */
    private static final Predicate<String> SIGNAL =
            Pattern.compile("\\bSIG[A-Z]+ \\(0x").asPredicate();

    @Override
    public String name() {
        return "mpi";
    }

    @Override
    public String claim() {
        return "two processes on one GPU get the host's bits by this MPI, staged, and by addresses if it claims to take them; nothing of speed, or of a network";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        machine.memory();
        return measure(System.getenv());
    }

    /** {@return what was found, given the environment of the ranks} */
    static Map<String, Object> measure(Map<String, String> environment) throws SkippedCheck {
        MpiLauncher launcher = launcher(environment);
        Map<String, Object> values = new LinkedHashMap<>();
        try (ScratchFolder scratch = ScratchFolder.make()) {
            String said = run(launcher, OFF, environment, scratch);
            values.put("library", value(said, MpiCheckRank.LIBRARY).orElse(""));
            values.put("version", value(said, MpiCheckRank.VERSION).orElse(""));
            values.put("staged", SAME);
            values.put("addresses", byAddresses(said, launcher, environment, scratch));
        }
        return values;
    }

    private static String byAddresses(
            String said, MpiLauncher launcher, Map<String, String> environment, ScratchFolder scratch)
            throws SkippedCheck {
        if (!value(said, MpiCheckRank.CLAIM).map(Boolean::parseBoolean).orElse(false)) {
            return "not claimed";
        }
        if (environment.getOrDefault(WAY, "").strip().equalsIgnoreCase(OFF)) {
            return OFF;
        }
        run(launcher, AUTO, environment, scratch);
        return SAME;
    }

    private static MpiLauncher launcher(Map<String, String> environment) throws SkippedCheck {
        try {
            return MpiLauncher.find(environment);
        } catch (CommException e) {
            throw new SkippedCheck("no MPI: " + CommException.textOf(e));
        }
    }

    /** {@return what the ranks of one job have said} */
    private static String run(MpiLauncher launcher, String way, Map<String, String> environment, ScratchFolder scratch)
            throws SkippedCheck {
        Map<String, String> variables = new HashMap<>(environment);
        variables.putAll(Map.of("RCOMM_BACKEND", "cpu:links,cuda:mpi", "RCOMM_CUDA_DEVICE", "0", WAY, way));
        List<String> rank = new ArrayList<>(JavaCommand.of(MpiCheckRank.class, List.of(), RankJvm.QUICK));
        // A process that a false claim ends leaves no files behind.
        rank.addAll(1, List.of("-XX:ErrorFile=/dev/null", "-XX:-CreateCoredumpOnCrash"));
        Probe.Answer answer = Probe.ask(launcher.command(RANKS, rank), launcher.variables(variables), scratch.path());
        Optional<String> missing = value(answer.text(), MpiCheckRank.MISSING);
        if (missing.isPresent()) {
            throw new SkippedCheck("no MPI: " + missing.get());
        }
        long done = answer.text().lines().filter(MpiCheckRank.DONE::equals).count();
        if (!answer.succeeded() || done < RANKS) {
            throw new IllegalStateException(failure(way, answer));
        }
        return answer.text();
    }

    private static String failure(String way, Probe.Answer answer) {
        String said = value(answer.text(), MpiCheckRank.FAILED)
                .or(() -> answer.text().lines().filter(SIGNAL).findFirst())
                .orElse(answer.lastText());
        return way.equals(OFF)
                ? "MPI ranks failed: way=staged, output=" + said
                : "MPI ranks failed: way=addresses, output=" + said + "; the library claims to take addresses of"
                        + " devices: if that is wrong, set " + WAY + "=" + OFF;
    }

    private static Optional<String> value(String text, String mark) {
        return text.lines()
                .filter(line -> line.startsWith(mark))
                .map(line -> line.substring(mark.length()))
                .findFirst();
    }
}
