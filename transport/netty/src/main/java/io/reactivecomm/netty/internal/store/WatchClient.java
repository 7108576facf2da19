package io.reactivecomm.netty.internal.store;

import io.netty.channel.Channel;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.BoardReader;
import io.reactivecomm.spi.JobBoard;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.publisher.Mono;

/**
 * A watcher's end of its connection to a job's store.
 *
 * <p><b>Threads.</b> Its methods may be called from any; signals come on its loop.
 */
public final class WatchClient implements BoardReader {

    /** The claim of one who is no rank, for messages. */
    public static final int NO_RANK = -1;

    /** Of the bytes that all records together may have, and some. */
    private static final int MOST_LAST_PAGES = 64;

    private static final long MOST_LAST_BYTES = 2 * JobBoard.MAX_BYTES;

    /** A store that is busy answers later; one that is stopped never does. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final NettyLoop loop;
    private final Channel channel;
    private final StoreConnection connection;
    /** What the store has said before it went; then it is looked at once more. */
    private final Queue<byte[]> last = new ConcurrentLinkedQueue<>();

    /** On the loop. */
    private long lastBytes;

    private volatile boolean gone;

    /** Takes over an admitted connection and the loop that it is on; called on that. */
    public WatchClient(NettyLoop loop, Channel channel, Timers timers) {
        this.loop = loop;
        this.channel = channel;
        this.connection = new StoreConnection(loop, channel, timers, NO_RANK);
        connection.tell(new StoreClient.DepartureListener() {
            @Override
            public void lastPage(byte[] page) {
                lastBytes += page.length;
                if (last.size() < MOST_LAST_PAGES && lastBytes <= MOST_LAST_BYTES) {
                    last.add(page);
                }
            }

            @Override
            public void storeLeft() {
                gone = true;
            }
        });
    }

    @Override
    public Mono<BoardPage> look(int first, Duration every) {
        long asked = (long) first << Integer.SIZE | Math.clamp(every.toMillis(), 0, Integer.MAX_VALUE);
        String late = "the job's store does not answer a watcher: address=" + channel.remoteAddress() + ", waited="
                + PATIENCE.toSeconds()
                + " s; check the process that runs it, rank 0 or the launcher: it may be stopped";
        return connection
                .ask(id -> StorePacket.of(StorePacket.LOOK, id, asked), PATIENCE, late)
                .map(StorePacket::value)
                .onErrorResume(problem -> channel.isActive() ? Mono.error(problem) : Mono.justOrEmpty(last.poll()))
                .flatMap(Attempt.step(page -> Mono.just(BoardPacket.decode(page))));
    }

    /** {@return whether the store has gone, and all that it has said has come} */
    boolean isGone() {
        return gone;
    }

    @Override
    public void close() {
        connection.close();
        loop.stop();
    }
}
