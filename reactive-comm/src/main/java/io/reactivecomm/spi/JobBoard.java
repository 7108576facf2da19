package io.reactivecomm.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The board between a job's ranks and those who watch it, where the job's store is: the last record of each rank, and who watches.
 *
 * <pre>
 *   rank      await ── nothing, while nobody looks ──&gt; told to publish ── record, each interval ──&gt; told that nobody looks: await
 *   watcher                                  look ──┘        look, look, look … leaves, or has not looked for {@link #LEASE}
 * </pre>
 *
 * <p>All that ranks do for watchers ends by itself: a rank learns with the answer to a record whether to make another one. A watcher gets what it asks
 * for and nothing else, so one that is slow or stopped keeps nobody and fills nothing.
 *
 * <p><b>Bounds.</b> One record a rank, each of at most {@value #MAX_RECORD_BYTES} bytes, {@link #MAX_BYTES} in all; none when nobody watches. At
 * most {@value #MAX_WATCHERS} watchers. A rank that has gone is remembered until another world meets here.
 *
 * <p><b>Errors.</b> An {@link IllegalArgumentException} with the sentence for the requester.
 *
 * <p><b>Threads.</b> One at a time: its owner's. Ranks and watchers are told apart by objects that stand for their connections.
 */
public final class JobBoard {

    /** Rates, the oldest calls, the ranks that they wait for. */
    public static final int MAX_RECORD_BYTES = 4096;

    /** Records of four thousand ranks, each as long as may be. */
    public static final long MAX_BYTES = 16L << 20;

    /** More than look at one job. */
    public static final int MAX_WATCHERS = 64;

    /** How long a watcher that says nothing is taken to watch; three of its intervals, if those are longer. */
    public static final Duration LEASE = Duration.ofSeconds(5);

    /** No rank is asked for more: a watcher must not load a job. */
    public static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);

    /** Ranks that publish more rarely could not be told from silent ones. */
    public static final Duration LONGEST_INTERVAL = Duration.ofSeconds(10);

    /** Bytes of records on one page, in round figures. */
    static final int PAGE_BYTES = 1 << 20;

    private final TreeMap<Integer, Seat> seats = new TreeMap<>();
    private final Map<Object, Seat> byOwner = new HashMap<>();
    private final Map<Object, Consumer<Duration>> waiting = new LinkedHashMap<>();
    private final Map<Object, Lease> watchers = new HashMap<>();
    private int worldSize;
    private long bytes;
    private long records;
    /** Since when somebody has watched, without a break. */
    private long watchedSince;

    private record Lease(Duration every, long until) {}

    private static final class Seat {

        private final int rank;
        private final Object owner;
        private long since;
        private byte @Nullable [] record;
        private boolean isPresent = true;

        Seat(int rank, Object owner, long since) {
            this.rank = rank;
            this.owner = owner;
            this.since = since;
        }

        int size() {
            return record == null ? 0 : record.length;
        }
    }

    /** A rank is there from now on. One of another world size begins another world. */
    public void enter(Object owner, int rank, int worldSize, long now) {
        if (worldSize != this.worldSize) {
            List.copyOf(seats.values()).forEach(this::remove);
            this.worldSize = worldSize;
        }
        Seat before = seats.get(rank);
        if (before != null && before.owner == owner && before.isPresent) {
            return;
        }
        if (before != null) {
            remove(before);
        }
        Seat seat = new Seat(rank, owner, now);
        seats.put(rank, seat);
        byOwner.put(owner, seat);
    }

    private void remove(Seat seat) {
        bytes -= seat.size();
        seats.remove(seat.rank, seat);
        byOwner.remove(seat.owner, seat);
    }

    /** Calls the rank back now or once somebody watches, with the interval in which to publish. */
    public void await(Object owner, Consumer<Duration> waiter, long now) {
        Duration every = interval(now);
        if (every.isZero()) {
            waiting.put(owner, waiter);
        } else {
            waiter.accept(every);
        }
    }

    /** The rank does not wait any more. */
    public void forget(Object owner) {
        waiting.remove(owner);
    }

    /**
     * Takes a rank's record, unless nobody watches.
     *
     * @return in which interval to publish from here on, or zero
     */
    public Duration publish(Object owner, byte[] record, long now) {
        Seat seat = byOwner.get(owner);
        if (seat == null) {
            throw new IllegalArgumentException(
                    "a record of none that is on the board; wait for watchers before you publish");
        }
        if (record.length > MAX_RECORD_BYTES) {
            throw new IllegalArgumentException("a record is too long for the board: rank=" + seat.rank + ", bytes="
                    + record.length + ", most=" + MAX_RECORD_BYTES + "; tell less");
        }
        Duration every = interval(now);
        if (every.isZero()) {
            return every;
        }
        long size = bytes - seat.size() + record.length;
        if (size > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the board is full: rank=" + seat.rank + ", bytes=" + size + ", most=" + MAX_BYTES + "; tell less");
        }
        bytes = size;
        records++;
        seat.record = record;
        seat.since = now;
        return every;
    }

    /** The rank's connection has ended. */
    public void leave(Object owner, long now) {
        waiting.remove(owner);
        Seat seat = byOwner.remove(owner);
        if (seat != null) {
            seat.isPresent = false;
            seat.since = now;
        }
    }

    /**
     * {@return what ranks have told} The watcher watches from here on, for {@link #LEASE}.
     *
     * @param first the first rank of interest
     * @param every in which interval it wants ranks to publish, brought into bounds
     */
    public BoardPage look(Object watcher, int first, Duration every, long now) {
        if (interval(now).isZero()) {
            watchedSince = now;
        }
        if (!watchers.containsKey(watcher) && watchers.size() >= MAX_WATCHERS) {
            throw new IllegalArgumentException("too many watch this job: watchers=" + watchers.size() + ", most="
                    + MAX_WATCHERS + "; end one of them");
        }
        Duration bounded = bounded(every);
        watchers.put(watcher, new Lease(bounded, now + Math.max(LEASE.toNanos(), 3 * bounded.toNanos())));
        BoardPage page = page(first, now);
        List<Consumer<Duration>> called = List.copyOf(waiting.values());
        waiting.clear();
        called.forEach(waiter -> waiter.accept(interval(now)));
        return page;
    }

    /** {@return all that ranks have told, for those who watch} Nobody begins to watch by it, and no rank hears of it. */
    public List<BoardPage> pages(long now) {
        List<BoardPage> pages = new ArrayList<>();
        int next = 0;
        while (next != BoardPage.LAST) {
            BoardPage page = page(next, now);
            pages.add(page);
            next = page.next();
        }
        return pages;
    }

    private static Duration bounded(Duration every) {
        if (every.compareTo(SHORTEST_INTERVAL) < 0) {
            return SHORTEST_INTERVAL;
        }
        return every.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : every;
    }

    private BoardPage page(int first, long now) {
        List<BoardPage.Entry> entries = new ArrayList<>();
        int size = 0;
        int next = BoardPage.LAST;
        for (Seat seat : seats.tailMap(first).values()) {
            if (size > PAGE_BYTES) {
                next = seat.rank;
                break;
            }
            boolean isUnheard = seat.isPresent && seat.record == null;
            long since = isUnheard ? Math.max(seat.since, watchedSince) : seat.since;
            byte[] record = seat.record == null ? new byte[0] : seat.record;
            entries.add(new BoardPage.Entry(
                    seat.rank, seat.isPresent, Math.max(0, TimeUnit.NANOSECONDS.toMillis(now - since)), record));
            size += record.length + Long.BYTES * 2;
        }
        return new BoardPage(worldSize, entries, next);
    }

    /** The watcher's connection has ended. */
    public void end(Object watcher, long now) {
        watchers.remove(watcher);
        interval(now);
    }

    /** {@return in which interval ranks are to publish; zero if nobody watches, and then what they told is forgotten} */
    private Duration interval(long now) {
        watchers.values().removeIf(lease -> lease.until - now <= 0);
        if (watchers.isEmpty()) {
            forgetRecords();
        }
        return watchers.values().stream()
                .map(Lease::every)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    private void forgetRecords() {
        if (bytes > 0) {
            seats.values().forEach(seat -> seat.record = null);
            bytes = 0;
        }
    }

    /** {@return how many records it has ever taken} */
    public long records() {
        return records;
    }

    /** {@return bytes of the records that it keeps} */
    public long keptBytes() {
        return bytes;
    }

    /** {@return how many ranks wait for somebody to watch} */
    public int waitingRanks() {
        return waiting.size();
    }
}
