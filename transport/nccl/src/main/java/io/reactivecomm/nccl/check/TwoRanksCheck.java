package io.reactivecomm.nccl.check;

import io.reactivecomm.nccl.NcclProbe;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A sum of two ranks on one GPU, each a process of its own. NCCL refuses that unless it is asked for: from 2.30.3 on by a variable; before, by telling
 * it that the ranks are on two hosts, which it does not always believe.
 */
final class TwoRanksCheck implements Check {

    /** 2.30.3. */
    private static final int SHARES_A_GPU = 23_003;

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
        boolean isShared = nccl.version() >= SHARES_A_GPU;
        try (RankProcess first = RankProcess.start(0, "", environment(isShared, 0));
                RankProcess second = RankProcess.start(1, first.id(), environment(isShared, 1))) {
            for (RankProcess each : first.orEarlier(second)) {
                each.requireSuccess(isShared);
            }
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("by", isShared ? CheckRank.SHARING : "NCCL_HOSTID");
        values.put("words", CheckRank.WORDS);
        return values;
    }

    private static Map<String, String> environment(boolean isShared, int rank) {
        return isShared ? Map.of(CheckRank.SHARING, "1") : Map.of("NCCL_HOSTID", "rank-" + rank, "NCCL_SOCKET_IFNAME", "lo");
    }
}
