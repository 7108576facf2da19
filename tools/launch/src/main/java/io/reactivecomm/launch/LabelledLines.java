package io.reactivecomm.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Cuts a stream of bytes into lines and passes each on whole, behind a label.
 *
 * <p>Bytes are not decoded: whatever encoding the rank writes arrives unchanged. Complete lines leave at once; a line without its end is
 * held until the end comes, so that lines of several ranks never run into each other. A line longer than {@link #MAX_LINE_BYTES} is cut
 * into several, each with the label, between two UTF-8 characters. A last line without a newline gets one. Lines that are to be omitted
 * are dropped.
 *
 * <p>A destination that fails, such as a closed pipe, is told of once and given up: what follows is dropped, so that a rank which is being ended
 * is not stopped by it. A {@link PrintStream} keeps its failures to itself, and is asked.
 *
 * <p><b>Threads.</b> One thread at a time; any number of instances share a destination.
 */
final class LabelledLines {

    static final Charset CHARSET = StandardCharsets.UTF_8;

    /** One mebibyte: any log line or JSON document meant to be read stays whole, and a rank that writes no newline costs no more. */
    static final int MAX_LINE_BYTES = 1 << 20;

    /** The longest tail of a UTF-8 character, which has at most four bytes. */
    private static final int MAX_TAIL_BYTES = 3;

    private final byte[] label;
    private final OutputStream destination;
    private final Set<String> omitted;
    private final Consumer<IOException> failed;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final ByteArrayOutputStream ready = new ByteArrayOutputStream();
    private boolean broken;
    private volatile Latest latest = new Latest(new byte[0], 0);

    /**
     * The last line with something in it.
     *
     * @param at when it came, by {@link System#nanoTime()}
     */
    record Latest(byte[] line, long at) {

        private static final int MOST_CHARS = 200;

        /** {@return the line in a message} */
        String text() {
            String text = new String(line, CHARSET).strip();
            return text.length() > MOST_CHARS ? text.substring(0, MOST_CHARS) + "…" : text;
        }
    }

    /** {@return the last line so far; from any thread} */
    Latest latest() {
        return latest;
    }

    /**
     * Makes one that has passed on nothing.
     *
     * @param failed told why the destination takes nothing more, by the thread that brings what it does not take
     */
    LabelledLines(String label, OutputStream destination, Set<String> omitted, Consumer<IOException> failed) {
        this.label = label.getBytes(CHARSET);
        this.destination = destination;
        this.omitted = omitted;
        this.failed = failed;
    }

    /** Takes the next bytes of the stream and passes on the lines that they complete. */
    void accept(byte[] bytes, int length) {
        int from = 0;
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '\n') {
                append(bytes, from, i);
                endLine();
                from = i + 1;
            }
        }
        append(bytes, from, length);
        passOn();
    }

    /** Ends the stream: passes on a last line that had no newline. */
    void end() {
        if (line.size() > 0) {
            endLine();
        }
        passOn();
    }

    private void append(byte[] bytes, int start, int end) {
        line.write(bytes, start, end - start);
        while (line.size() > MAX_LINE_BYTES) {
            byte[] tooLong = line.toByteArray();
            int cut = cut(tooLong);
            line.reset();
            line.write(tooLong, 0, cut);
            endLine();
            line.write(tooLong, cut, tooLong.length - cut);
        }
    }

    /** {@return where to cut: at the limit, or before it where a character begins, unless the bytes are no UTF-8 there} */
    private static int cut(byte[] bytes) {
        for (int cut = MAX_LINE_BYTES; cut >= MAX_LINE_BYTES - MAX_TAIL_BYTES; cut--) {
            if ((bytes[cut] & 0xC0) != 0x80) {
                return cut;
            }
        }
        return MAX_LINE_BYTES;
    }

    private void endLine() {
        // Most jobs omit nothing, and their lines need not be decoded.
        if (omitted.isEmpty() || !omitted.contains(line.toString(CHARSET))) {
            byte[] whole = line.toByteArray();
            ready.writeBytes(label);
            ready.writeBytes(whole);
            ready.write('\n');
            if (whole.length > 0) {
                latest = new Latest(whole, System.nanoTime());
            }
        }
        line.reset();
    }

    private void passOn() {
        if (ready.size() > 0 && !broken) {
            try {
                write();
            } catch (IOException e) {
                broken = true;
                failed.accept(e);
            }
        }
        ready.reset();
    }

    private void write() throws IOException {
        synchronized (destination) {
            ready.writeTo(destination);
            if (!(destination instanceof PrintStream stream)) {
                destination.flush();
            } else if (stream.checkError()) {
                // It has flushed.
                throw new IOException("the stream does not say why");
            }
        }
    }
}
