package io.reactivecomm.testkit.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.LeakCheck;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A pair of links for each case of the {@link LinkContract}, and what is checked when a case is over. */
public abstract class LinkFixture {

    private final Arena arena = Arena.ofShared();
    private LeakCheck leaks = LeakCheck.begin();
    private Pair pair = new Unconnected();

    /** The two ends of a link between two ranks, each on a loop of its own, delivering to the two ends. */
    public interface Pair extends AutoCloseable {

        LinkEnd near();

        LinkEnd far();

        /** Frees the links, the loops and what else the pair holds. */
        @Override
        void close();
    }

    /** Stands in until there is a pair. */
    private record Unconnected() implements Pair {

        @Override
        public LinkEnd near() {
            throw new IllegalStateException("no pair of links was made");
        }

        @Override
        public LinkEnd far() {
            throw new IllegalStateException("no pair of links was made");
        }

        @Override
        public void close() {}
    }

    /** {@return a new link, both ends started} */
    protected abstract Pair connect();

    /** {@return whether a link of this kind can break without a word} */
    protected abstract boolean canBreak();

    /** {@return whether frames without payloads fill a link of this kind, so that it takes no payload until they have left} */
    protected boolean isFilledByFrames() {
        return true;
    }

    /** Breaks the connection below the link, as a crash of the far rank would. */
    protected abstract void breakAbruptly(Pair pair);

    /** {@return bytes outside the heap that a closed link may leave in pools that live as long as the JVM} */
    protected long slackBytes() {
        return 0;
    }

    @BeforeEach
    final void connectPair() {
        leaks = LeakCheck.begin();
        pair = connect();
    }

    @AfterEach
    final void closePairAndCheck() {
        pair.close();
        near().checkRules();
        far().checkRules();
        arena.close();
        leaks.end(slackBytes());
    }

    final Pair pair() {
        return pair;
    }

    final LinkEnd near() {
        return pair.near();
    }

    final LinkEnd far() {
        return pair.far();
    }

    /** {@return fresh memory, each byte that value} */
    final MemorySegment filled(int lengthBytes, int value) {
        return arena.allocate(lengthBytes, 8).fill((byte) value);
    }

    static void requireFilled(MemorySegment memory, int value) {
        byte[] bytes = memory.toArray(ValueLayout.JAVA_BYTE);
        assertThat(IntStream.range(0, bytes.length)
                        .filter(i -> bytes[i] != (byte) value)
                        .findFirst())
                .as("the first byte that is not %d, of %d", value, bytes.length)
                .isEmpty();
    }

    /** Holds up a loop. */
    static void awaitOn(CountDownLatch latch) {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody released the loop");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
