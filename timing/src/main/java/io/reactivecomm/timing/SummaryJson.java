package io.reactivecomm.timing;

import io.reactivecomm.timing.CommsSummary.Known;
import io.reactivecomm.timing.CommsSummary.Row;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The summary as JSON: what its rows hold, and the bandwidths that follow from it. */
final class SummaryJson {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private SummaryJson() {}

    static String of(CommsSummary summary) {
        ObjectNode whole = MAPPER.createObjectNode();
        whole.put("rank", summary.rank());
        whole.put("worldSize", summary.worldSize());
        whole.put("since", summary.since().toString());
        whole.put("at", summary.at().toString());
        whole.put("unlisted", summary.unlisted());
        ArrayNode rows = whole.putArray("rows");
        summary.rows().forEach(row -> put(rows.addObject(), row));
        return MAPPER.writeValueAsString(whole);
    }

    private static void put(ObjectNode node, Row row) {
        node.put("tag", row.kind().tag());
        node.put("operation", row.kind().operation());
        node.put("byteSize", row.kind().byteSize());
        node.put("groupSize", row.kind().groupSize());
        node.put("backend", row.kind().backend());
        node.put("name", row.kind().name());
        node.put("callSite", row.kind().callSite());
        node.put("count", row.count());
        ObjectNode failures = node.putObject("failures");
        row.failures().forEach(failures::put);
        node.put("totalNanos", row.latency().totalNanos());
        node.put("minNanos", row.latency().minNanos());
        node.put("maxNanos", row.latency().maxNanos());
        node.put("averageNanos", row.latency().trimmedMeanNanos());
        node.put("algbwGBps", row.algorithmBandwidth());
        node.put("busbwGBps", row.busBandwidth());
        put(node.putObject("queuedNanos"), row.phases().queued());
        put(node.putObject("matchingNanos"), row.phases().matching());
        put(node.putObject("wireNanos"), row.phases().wire());
        put(node.putObject("foldNanos"), row.phases().fold());
        put(node.putObject("payloadBytes"), row.payloadBytes());
        put(node.putObject("headerBytes"), row.headerBytes());
        if (row.kind().isTimed()) {
            put(node.putObject("calls"), row.calls());
            node.put("untimed", row.isUntimed());
        }
    }

    private static void put(ObjectNode node, Known known) {
        node.put("count", known.count());
        node.put("total", known.total());
    }
}
