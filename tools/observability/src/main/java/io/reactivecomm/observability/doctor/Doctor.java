package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.LiveCall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Merges dumps of flight recorders into a diagnosis: a function, without files and without clocks.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Doctor {

    /** Findings near a cause come first. Ranks with a mismatch leave, and are lost only afterwards. */
    private static final List<Symptom> SYMPTOMS = List.of(
            new FullDisk(),
            new DeadPrograms(),
            new LockedThreads(),
            new DifferentCalls(),
            new LostPeers(false),
            new BlockedLoops(),
            new StoppedProcesses(),
            new WaitCircles(),
            new Absentees(),
            new Leavers());

    /** Only where none of those has found anything. */
    private static final List<Symptom> AT_LAST = List.of(new OtherFailures(), new LostPeers(true), new Laggards());

    private static final String WITHOUT_SITES =
            "the calls' lines in the program are not known; run the job with RCOMM_CALL_SITES=1, which walks the stack for each call: some microseconds";

    private Doctor() {}

    /**
     * {@return what the dumps of one job tell} Of a rank's dumps only the newest counts. Of several worlds, as of an earlier run, only
     * the world counts that the newest dump is of.
     *
     * @param dumps one at least
     * @throws IllegalArgumentException if there is none
     */
    public static Diagnosis diagnose(Collection<FlightDump> dumps) {
        if (dumps.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is nothing to diagnose: dumps=0; give the dumps of a job's ranks");
        }
        OneWorld world = OneWorld.newestOf(dumps);
        Evidence evidence = new Evidence(world.dumps());
        List<Finding> findings = new Chronology(evidence).ordered(find(SYMPTOMS, evidence));
        List<Finding> all = findings.isEmpty() ? find(AT_LAST, evidence) : findings;
        List<String> warnings = new ArrayList<>(world.warnings());
        if (all.stream().anyMatch(finding -> !finding.call().isEmpty()) && !haveSites(world.dumps())) {
            warnings.add(WITHOUT_SITES);
        }
        return new Diagnosis(evidence.present(), evidence.absent(), all, warnings);
    }

    private static boolean haveSites(List<FlightDump> dumps) {
        return dumps.stream()
                .flatMap(dump -> Stream.concat(
                        dump.state().live().stream().map(LiveCall::call),
                        dump.state().ended().stream().map(EndedCall::call)))
                .anyMatch(call -> !call.site().isEmpty());
    }

    private static List<Finding> find(List<Symptom> symptoms, Evidence evidence) {
        List<Finding> findings = new ArrayList<>();
        for (Symptom symptom : symptoms) {
            for (Finding finding : symptom.find(evidence)) {
                if (!finding.culprits().stream().allMatch(evidence::isBlamed)) {
                    findings.add(finding);
                    evidence.blame(finding);
                }
            }
        }
        return findings;
    }
}
