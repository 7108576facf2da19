package io.reactivecomm.internal.timeline;

import java.io.OutputStream;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.util.MinimalPrettyPrinter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Events of a trace as JSON, one a line: {@code [}, then events with {@code ,} between them. Whoever reads a trace whose end is missing, or is cut
 * off, loses no more than its last event.
 *
 * <p>A process of the trace is a rank, numbered from 1, a thread of it a lane: Perfetto takes process 0 and thread 0 for the idle ones. Times are
 * microseconds with three decimals: nanoseconds.
 *
 * <p><b>Source.</b> Trace Event Format, Google: durations ({@code "B"}, {@code "E"}, {@code "X"}), instants ({@code "i"}), flows ({@code "s"},
 * {@code "f"}) and metadata ({@code "M"}).
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class EventWriter {

    /** The lane of what is none of a call's. */
    public static final int EVENTS = 1;

    /** The number of rank 0. */
    public static final int FIRST = 1;

    /** The name of a part's first event, which says what wrote it. */
    public static final String HEADER = "reactivecomm_part";

    /** The name of the last event of a part that was closed. */
    public static final String END = "reactivecomm_end";

    /** The format of a part. */
    public static final int FORMAT = 1;

    public static final String CALL = "call";
    public static final String PHASE = "phase";
    public static final String CLOCK = "clock";

    /** The facts of a comparison of clocks. */
    public static final String OTHER = "other";

    public static final String OFFSET = "offsetNanos";
    public static final String BOUND = "boundNanos";

    private static final int MOST_TEXT = 2000;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final JsonGenerator json;

    public EventWriter(OutputStream out, String opening) {
        json = JSON.writer().with(new MinimalPrettyPrinter(",\n")).createGenerator(out);
        json.writeRaw(opening);
    }

    /** {@return a time or a duration as the format has it} */
    public static BigDecimal micros(long nanos) {
        return BigDecimal.valueOf(nanos, 3);
    }

    /** Begins an event, which {@link #end} ends. */
    public EventWriter event(String kind, String name, int rank, int lane) {
        json.writeStartObject();
        json.writeStringProperty("name", name);
        json.writeStringProperty("ph", kind);
        json.writeNumberProperty("pid", FIRST + rank);
        json.writeNumberProperty("tid", lane);
        return this;
    }

    public EventWriter category(String category) {
        json.writeStringProperty("cat", category);
        return this;
    }

    public EventWriter at(long nanos) {
        json.writeNumberProperty("ts", micros(nanos));
        return this;
    }

    public EventWriter lasting(long nanos) {
        json.writeNumberProperty("dur", micros(nanos));
        return this;
    }

    /** A field of the format, such as the number of a flow. */
    public EventWriter field(String name, long value) {
        json.writeNumberProperty(name, value);
        return this;
    }

    public EventWriter field(String name, String value) {
        json.writeStringProperty(name, value);
        return this;
    }

    /** What follows is about the event. */
    public EventWriter args() {
        json.writeObjectPropertyStart("args");
        return this;
    }

    /** Ends an event that has args. */
    public void endArgs() {
        json.writeEndObject();
        json.writeEndObject();
    }

    /** Ends an event without. */
    public void end() {
        json.writeEndObject();
    }

    /** Gives a rank or a lane its name. */
    public void name(String what, int rank, int lane, String name) {
        event("M", what, rank, lane).args().field("name", name).endArgs();
    }

    /** Places a rank or a lane among others. */
    public void place(String what, int rank, int lane, int place) {
        event("M", what, rank, lane).args().field("sort_index", place).endArgs();
    }

    /** Writes an event that was read. */
    public void copy(JsonNode event) {
        JSON.writeTree(json, event);
    }

    public void flush() {
        json.flush();
    }

    /** Writes what follows the last event. */
    public void close(String closing) {
        json.writeRaw(closing);
        json.flush();
    }

    /** {@return a text that is not too long for a trace} */
    public static String shortened(@Nullable String text) {
        String known = String.valueOf(text);
        return known.length() <= MOST_TEXT ? known : known.substring(0, MOST_TEXT) + "…";
    }
}
