package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.NcclProbe;
import io.reactivecomm.samples.programs.device.SharedGpu;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A sum of two ranks on one GPU, each a process of its own, as {@link SharedGpu} has NCCL allow it. */
final class TwoRanksCheck implements Check {

    @Override
    public String name() {
        return "two-ranks";
    }

    @Override
    public String claim() {
        return "two processes get right sums by NCCL on one GPU; nothing of speed, as ranks have a GPU each";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck, IOException {
        machine.device();
        NcclProbe nccl = machine.nccl();
        boolean isShared = SharedGpu.isPromised(nccl.version());
        try (CheckProcess first = CheckProcess.start(0, "", SharedGpu.variables(nccl.version(), 0));
                CheckProcess second = CheckProcess.start(1, first.id(), SharedGpu.variables(nccl.version(), 1))) {
            for (CheckProcess each : first.orEarlier(second)) {
                each.requireSuccess(isShared);
            }
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("by", isShared ? SharedGpu.VARIABLE : "NCCL_HOSTID");
        values.put("words", CheckRank.WORDS);
        return values;
    }
}
