package io.reactivecomm.samples.programs.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A stream of this process with a {@link ProgressLine} below it: lines of {@link Progress} go into that, all else is written above it.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ProgressStream extends OutputStream {

    private static final byte FIRST_OF_MARK = (byte) Progress.MARK.charAt(0);

    private static volatile boolean installed;

    private final PrintStream to;
    private final ProgressLine line;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private boolean isAtLineStart = true;

    ProgressStream(PrintStream to, ProgressLine line) {
        this.to = to;
        this.line = line;
    }

    /** {@return whether progress that is told in this process is shown by it} */
    static boolean isInstalled() {
        return installed;
    }

    /** From here on this process's streams have a line of progress below them, if its standard error is a terminal. */
    public static void install() {
        if (!Terminal.ERR.isThere()) {
            return;
        }
        ProgressLine line = new ProgressLine(System.err, System::nanoTime);
        System.setOut(new PrintStream(new ProgressStream(System.out, line), true, System.out.charset()));
        System.setErr(new PrintStream(new ProgressStream(System.err, line), true, System.err.charset()));
        Runtime.getRuntime().addShutdownHook(new Thread(line::end, "rcomm-progress-end"));
        installed = true;
    }

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        synchronized (line) {
            for (int i = from; i < from + length; i++) {
                pending.write(bytes[i]);
                if (bytes[i] == '\n') {
                    endLine();
                }
            }
        }
    }

    private void endLine() {
        String text = pending.toString(StandardCharsets.UTF_8);
        if (isAtLineStart && text.startsWith(Progress.MARK)) {
            pending.reset();
            line.take(text.substring(Progress.MARK.length()).strip());
        } else {
            passOn();
            line.putBack();
        }
    }

    /**
     * Passes on what is there; a line that may be one of progress waits for its end.
     *
     * @throws IOException if that is not taken, such as by a closed pipe
     */
    @Override
    public void flush() throws IOException {
        synchronized (line) {
            boolean mayBeProgress = isAtLineStart && pending.size() > 0 && pending.toByteArray()[0] == FIRST_OF_MARK;
            if (!mayBeProgress) {
                passOn();
            }
            // It flushes first.
            if (to.checkError()) {
                throw new IOException("the stream does not say why");
            }
        }
    }

    private void passOn() {
        byte[] bytes = pending.toByteArray();
        pending.reset();
        if (bytes.length > 0) {
            line.takeAway();
            to.write(bytes, 0, bytes.length);
            to.flush();
            isAtLineStart = bytes[bytes.length - 1] == '\n';
            line.bar(!isAtLineStart);
        }
    }
}
