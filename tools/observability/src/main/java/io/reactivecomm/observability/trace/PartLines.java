package io.reactivecomm.observability.trace;

import io.reactivecomm.timeline.TimelineException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The events of a part, one after the other. The last line of a rank that was killed may be cut off: it is left out.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class PartLines implements AutoCloseable {

    /** Beyond any that is written: texts are shortened, names are what a program gives. */
    private static final int LONGEST = 1 << 20;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Path file;
    private final InputStream in;
    private long number;
    private boolean isWhole;
    private boolean isCut;

    PartLines(Path file) {
        this(file, opened(file));
    }

    /** The lines of a file that is open: closed here if it is no part. */
    PartLines(Path file, InputStream in) {
        this.file = file;
        this.in = in;
        try {
            requireOpening();
        } catch (TimelineException e) {
            close();
            throw e;
        }
    }

    private static InputStream opened(Path file) {
        try {
            return new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private void requireOpening() {
        byte[] opening = line();
        if (opening == null || opening.length != 1 || opening[0] != '[') {
            throw failure("is no part of a timeline", "its first line is not [");
        }
    }

    /** {@return the next event, or null behind the last} */
    @Nullable ObjectNode next() {
        byte[] line = line();
        if (line == null || (line.length == 1 && line[0] == ']')) {
            return null;
        }
        int length = line.length > 0 && line[line.length - 1] == ',' ? line.length - 1 : line.length;
        try {
            if (JSON.readTree(line, 0, length) instanceof ObjectNode event) {
                return event;
            }
        } catch (JacksonException e) {
            if (isWhole) {
                throw new TimelineException(text("cannot be read", "line " + number + " is no JSON"), e);
            }
        }
        if (isWhole) {
            throw failure("cannot be read", "line " + number + " is no event");
        }
        isCut = true;
        return null;
    }

    /** {@return whether the last line was left out} */
    boolean isCut() {
        return isCut;
    }

    private byte @Nullable [] line() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        number++;
        try {
            int next = in.read();
            isWhole = next >= 0;
            if (!isWhole) {
                return null;
            }
            for (; next >= 0 && next != '\n'; next = in.read()) {
                bytes.write(next);
                if (bytes.size() > LONGEST) {
                    throw failure("cannot be read", "line " + number + " is longer than " + LONGEST + " bytes");
                }
            }
            isWhole = next == '\n';
            return bytes.toByteArray();
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /** {@return an error that names the file and the line} */
    TimelineException failure(String what) {
        return failure("cannot be read", "line " + number + ": " + what);
    }

    private TimelineException failure(String what, String why) {
        return new TimelineException(text(what, why));
    }

    private String text(String what, String why) {
        return "a file " + what + ": file=" + file + ", because " + why
                + "; give what timelines have written, or leave it out";
    }

    private static TimelineException unreadable(Path file, IOException cause) {
        return new TimelineException(
                "a part of a timeline cannot be read: file=" + file + ", cause=" + cause + "; see that it is there",
                cause);
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }
}
