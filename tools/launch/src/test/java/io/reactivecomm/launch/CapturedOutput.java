package io.reactivecomm.launch;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A stream that keeps what is written, as lines that a test can wait for. */
final class CapturedOutput extends OutputStream {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final StringBuilder text = new StringBuilder();

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        text.append(new String(bytes, offset, length, StandardCharsets.UTF_8));
        notifyAll();
    }

    synchronized List<String> lines() {
        return text.isEmpty()
                ? List.of()
                : new ArrayList<>(List.of(text.toString().split("\n")));
    }

    /** {@return the first {@code count} lines that match, once they are there} */
    synchronized List<String> await(int count, Predicate<String> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            List<String> found = lines().stream().filter(wanted).limit(count).toList();
            if (found.size() == count) {
                return found;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError("waited in vain for " + count + " lines; got " + lines());
            }
            wait(left);
        }
    }
}
