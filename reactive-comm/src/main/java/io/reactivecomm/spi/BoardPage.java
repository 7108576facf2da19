package io.reactivecomm.spi;

import java.util.List;

/**
 * A page of a {@link JobBoard}, as a watcher sees it.
 *
 * @param worldSize ranks of the job; 0 while none has come
 * @param entries those that have come, in rank order, from the rank on that was asked for
 * @param next the first rank of the next page, or {@link #LAST}
 */
public record BoardPage(int worldSize, List<Entry> entries, int next) {

    /** The {@link #next()} of the last page. */
    public static final int LAST = -1;

    public BoardPage {
        entries = List.copyOf(entries);
    }

    /**
     * The news of one rank.
     *
     * @param isPresent whether its connection to the board stands
     * @param sinceMillis how long ago it published; if it has not, for how long it has been asked to; if it has gone, since when
     * @param record what it published, or empty
     */
    public record Entry(int rank, boolean isPresent, long sinceMillis, byte[] record) {}
}
