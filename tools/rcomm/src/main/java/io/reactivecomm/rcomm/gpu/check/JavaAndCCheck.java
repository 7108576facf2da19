package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.nccl.cuda.CudaDevice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The host's time of a group in Java and in C, in turn: what the machine does meanwhile meets both. */
final class JavaAndCCheck implements Check {

    /** Java's time of issuing a group, to C's. */
    private static final double GOAL = 1.05;

    /** Rounds of one before the other's turn. */
    private static final int TURN = 3;

    @Override
    public String name() {
        return "java-c";
    }

    @Override
    public String claim() {
        return "what Java adds to the host's time of the same calls of the same library by a program in C, in turn on this machine; nothing of the GPU's work";
    }

    /** The rounds of both. */
    private record Rounds(List<PairTimes> ofJava, List<PairTimes> ofC) {

        private Rounds() {
            this(new ArrayList<>(), new ArrayList<>());
        }
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck, IOException {
        CudaDevice device = machine.device();
        NcclProbe nccl = machine.nccl();
        try (CProgram program = CProgram.start(nccl.name(), machine.sizes())) {
            Rounds rounds = device.launches().call(() -> rounds(device, nccl, program, machine.sizes()));
            program.end();
            return values(rounds, program.compiler());
        }
    }

    private static Rounds rounds(CudaDevice device, NcclProbe nccl, CProgram program, CheckSizes sizes) {
        try (Pairs pairs = new Pairs(nccl, device.launches().stream(), sizes)) {
            turns(pairs, program, sizes.warmUps());
            Rounds rounds = turns(pairs, program, sizes.rounds());
            pairs.verify();
            return rounds;
        }
    }

    private static Rounds turns(Pairs pairs, CProgram program, int count) {
        Rounds rounds = new Rounds();
        while (rounds.ofC.size() < count) {
            for (int i = 0; i < TURN; i++) {
                rounds.ofJava.add(pairs.round());
            }
            for (int i = 0; i < TURN; i++) {
                rounds.ofC.add(program.round());
            }
        }
        return rounds;
    }

    private static Map<String, Object> values(Rounds rounds, String compiler) {
        double java = PairTimes.median(rounds.ofJava, PairTimes::groupedIssued);
        double c = PairTimes.median(rounds.ofC, PairTimes::groupedIssued);
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("javaGroupedMicros", Median.micros(java));
        values.put("cGroupedMicros", Median.micros(c));
        values.put("ratio", Median.ratio(java, c));
        values.put("goal", GOAL);
        values.put("isMet", java <= GOAL * c);
        values.put(
                "singleRatio",
                Median.ratio(
                        PairTimes.median(rounds.ofJava, PairTimes::singleIssued),
                        PairTimes.median(rounds.ofC, PairTimes::singleIssued)));
        values.put(
                "doneRatio",
                Median.ratio(
                        PairTimes.median(rounds.ofJava, PairTimes::groupedDone),
                        PairTimes.median(rounds.ofC, PairTimes::groupedDone)));
        values.put("compiler", compiler);
        return values;
    }
}
