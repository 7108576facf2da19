package io.reactivecomm.observability.watch;

import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.WaitingCall;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A {@link JobSnapshot} as JSON. What is not known is absent. */
final class SnapshotJson {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private SnapshotJson() {}

    static String of(JobSnapshot snapshot) {
        ObjectNode whole = MAPPER.createObjectNode();
        whole.put("at", snapshot.at().toString());
        whole.put("worldSize", snapshot.worldSize());
        whole.put("isOver", snapshot.isOver());
        snapshot.failure().ifPresent(text -> whole.put("failure", text));
        ArrayNode ranks = whole.putArray("ranks");
        snapshot.ranks().forEach(rank -> put(ranks.addObject(), rank));
        ArrayNode late = whole.putArray("late");
        snapshot.late().forEach(each -> put(late.addObject(), each));
        return MAPPER.writeValueAsString(whole);
    }

    private static void put(ObjectNode node, RankStatus rank) {
        node.put("rank", rank.rank());
        node.put("state", rank.state().name());
        node.put("sinceMillis", rank.since().toMillis());
        rank.report().ifPresent(report -> put(node, report));
    }

    private static void put(ObjectNode node, RankReport report) {
        node.put("pid", report.pid());
        node.put("host", report.host());
        if (report.hasRates()) {
            node.put("callsPerSecond", report.callsPerSecond());
            node.put("GBps", report.gigabytesPerSecond());
            node.put("busGBps", report.busGigabytesPerSecond());
            node.put("waitingShare", report.waitingShare());
            node.put("failed", report.failed());
        }
        node.put("inFlight", report.inFlight());
        ArrayNode oldest = node.putArray("oldest");
        report.oldest().forEach(call -> put(oldest.addObject(), call));
        put(node.putArray("lost"), report.lost());
    }

    private static void put(ObjectNode node, WaitingCall call) {
        node.put("group", call.group());
        node.put("groupSize", call.groupSize());
        node.put("label", call.label());
        node.put("operation", call.operation());
        node.put("backend", call.backend());
        node.put("byteSize", call.byteSize());
        call.since().ifPresent(since -> node.put("sinceMillis", since.toMillis()));
        put(node.putArray("waitsFor"), call.waitsFor());
        node.put("lateCount", call.lateCount());
    }

    private static void put(ObjectNode node, LateRanks late) {
        put(node.putObject("call"), late.call());
        put(node.putArray("waiting"), late.waiting());
        put(node.putArray("late"), late.late());
    }

    private static void put(ArrayNode node, List<Integer> ranks) {
        ranks.forEach(node::add);
    }
}
