package io.reactivecomm.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A trace that was written, read as Perfetto does: an array of events whose end may be missing, or an object that has it. */
public record Trace(List<JsonNode> events) {

    /** A slice of a lane, in nanoseconds. */
    public record Slice(String name, String category, int rank, int lane, long from, long to, JsonNode args) {

        public boolean isWithin(Slice other) {
            return lane == other.lane && rank == other.rank && from >= other.from && to <= other.to;
        }
    }

    public static Trace read(Path file) throws IOException {
        String text = Files.readString(file).strip();
        String whole = text.startsWith("[") && !text.endsWith("]") ? text + "]" : text;
        JsonNode json = JsonMapper.shared().readTree(whole);
        JsonNode array = json.isArray() ? json : json.get("traceEvents");
        return new Trace(StreamSupport.stream(array.spliterator(), false).toList());
    }

    public static int rank(JsonNode event) {
        return event.get("pid").asInt() - 1;
    }

    private static long nanos(JsonNode event, String field) {
        return Math.round(event.get(field).asDouble() * 1000);
    }

    /** {@return all slices, once it is seen that each begin has an end, and that those of a lane lie within or behind each other} */
    public List<Slice> slices() {
        List<Slice> slices = new ArrayList<>();
        Map<List<Integer>, Deque<JsonNode>> open = new HashMap<>();
        for (JsonNode event : events) {
            List<Integer> lane = List.of(rank(event), event.get("tid").asInt());
            switch (event.get("ph").asString()) {
                case "B" -> open.computeIfAbsent(lane, _ -> new ArrayDeque<>()).push(event);
                case "E" -> slices.add(slice(open.get(lane).pop(), nanos(event, "ts"), event));
                case "X" -> slices.add(slice(event, nanos(event, "ts") + nanos(event, "dur"), event));
                default -> {}
            }
        }
        assertThat(open.values()).as("what has no end").allMatch(Deque::isEmpty);
        requireNesting(slices);
        return slices;
    }

    private static Slice slice(JsonNode begin, long to, JsonNode end) {
        assertThat(end.get("name")).isEqualTo(begin.get("name"));
        return new Slice(
                begin.get("name").asString(),
                begin.get("cat").asString(),
                rank(begin),
                begin.get("tid").asInt(),
                nanos(begin, "ts"),
                to,
                begin.has("args") ? begin.get("args") : end.path("args"));
    }

    private static void requireNesting(List<Slice> slices) {
        for (Slice one : slices) {
            assertThat(one.to).isGreaterThanOrEqualTo(one.from);
            for (Slice other : slices) {
                boolean overlap =
                        one.rank == other.rank && one.lane == other.lane && one.from < other.to && other.from < one.to;
                assertThat(!overlap || one.isWithin(other) || other.isWithin(one))
                        .as("%s beside %s", one, other)
                        .isTrue();
            }
        }
    }

    /** {@return the calls of a rank, as they began} */
    public List<Slice> calls(int rank) {
        return inOrder(slices().stream().filter(each -> each.rank == rank && each.category.equals("call")));
    }

    public Slice call(int rank, String name) {
        List<Slice> found =
                calls(rank).stream().filter(each -> each.name.equals(name)).toList();
        assertThat(found).as("calls of rank %d named %s", rank, name).hasSize(1);
        return found.getFirst();
    }

    /** {@return the phases of a call, in their order} */
    public List<Slice> phases(Slice call) {
        return inOrder(slices().stream().filter(each -> each.category.equals("phase") && each.isWithin(call)));
    }

    private static List<Slice> inOrder(Stream<Slice> slices) {
        return slices.sorted(Comparator.comparingLong(Slice::from)).toList();
    }

    /** {@return the names of a rank's lanes by their numbers} */
    public Map<Integer, String> lanes(int rank) {
        Map<Integer, String> lanes = new HashMap<>();
        of("M").stream()
                .filter(event -> event.get("name").asString().equals("thread_name") && rank(event) == rank)
                .forEach(event -> lanes.put(
                        event.get("tid").asInt(), event.get("args").get("name").asString()));
        return lanes;
    }

    public List<JsonNode> of(String kind) {
        return events.stream()
                .filter(event -> event.get("ph").asString().equals(kind))
                .toList();
    }

    /** {@return the moments of that name} */
    public List<JsonNode> moments(String name) {
        return of("i").stream()
                .filter(event -> event.get("name").asString().equals(name))
                .toList();
    }

    /** {@return what the facts of a call's end say} */
    public JsonNode end(int rank, String name) {
        return of("E").stream()
                .filter(event ->
                        rank(event) == rank && event.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .get("args");
    }
}
