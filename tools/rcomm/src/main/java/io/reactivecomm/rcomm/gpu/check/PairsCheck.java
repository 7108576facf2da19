package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.nccl.cuda.CudaDevice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Messages to self in one group, and the same one by one. */
final class PairsCheck implements Check {

    @Override
    public String name() {
        return "pairs";
    }

    @Override
    public String claim() {
        return "messages arrive, and what one group in place of many saves, through NCCL's planner; nothing of other ranks, of wires, or of collectives,"
                + " which NCCL copies at world size 1";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        CudaDevice device = machine.device();
        NcclProbe nccl = machine.nccl();
        List<PairTimes> rounds = device.launches().call(() -> rounds(device, nccl, machine.sizes()));
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("pairs", machine.sizes().pairs());
        values.put("groupedIssuedMicros", Median.micros(PairTimes.median(rounds, PairTimes::groupedIssued)));
        values.put("groupedDoneMicros", Median.micros(PairTimes.median(rounds, PairTimes::groupedDone)));
        values.put("singleIssuedMicros", Median.micros(PairTimes.median(rounds, PairTimes::singleIssued)));
        values.put("singleDoneMicros", Median.micros(PairTimes.median(rounds, PairTimes::singleDone)));
        return values;
    }

    private static List<PairTimes> rounds(CudaDevice device, NcclProbe nccl, CheckSizes sizes) {
        try (Pairs pairs = new Pairs(nccl, device.launches().stream(), sizes)) {
            List<PairTimes> rounds = new ArrayList<>();
            for (int i = 0; i < sizes.warmUps(); i++) {
                pairs.round();
            }
            for (int i = 0; i < sizes.rounds(); i++) {
                rounds.add(pairs.round());
            }
            pairs.verify();
            return rounds;
        }
    }
}
