package io.reactivecomm.observability.watch;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.JobBoard;

/**
 * The bounds of one look at a board: whoever answers as the store must not make a watcher read for ever, or keep more than any board has.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class PageBounds {

    /** Of a page for each rank there would be as many. */
    static final int MOST_PAGES = 65_536;

    /** Beside its record: a rank, its state, its time, and what the JVM adds. */
    private static final int ENTRY_BYTES = 64;

    private static final long MOST_BYTES = JobBoard.MAX_BYTES + (long) MOST_PAGES * ENTRY_BYTES;

    private long bytes;

    /**
     * Counts a page.
     *
     * @param first the rank from which on it was asked for; a last page that the store sent before it went may begin before
     * @throws RendezvousException if it leads nowhere, or is too much
     */
    void take(int first, BoardPage page) {
        int highest = page.entries().isEmpty() ? first : Integer.MIN_VALUE;
        for (BoardPage.Entry entry : page.entries()) {
            highest = Math.max(highest, entry.rank());
            bytes += ENTRY_BYTES + entry.record().length;
        }
        if (page.next() != BoardPage.LAST && page.next() <= highest) {
            throw senseless("first=" + first + ", highest=" + highest + ", next=" + page.next());
        }
        if (bytes > MOST_BYTES) {
            throw senseless("bytes=" + bytes + ", most=" + MOST_BYTES);
        }
    }

    private static RendezvousException senseless(String facts) {
        return new RendezvousException("the job's store answers with pages that no board has: " + facts
                + "; check that this is a job's store, and watch it with its own release of Reactive Comm");
    }
}
