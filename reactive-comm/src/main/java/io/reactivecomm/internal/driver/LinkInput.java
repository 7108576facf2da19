package io.reactivecomm.internal.driver;

import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.PeerNews;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The way from a rank's links into its engine: each of their events is one of the engine's, with its time.
 *
 * <p><b>Threads.</b> The events come on the loop; {@link #hearsOfClocks}, {@link #closing} and {@link #awaitDown} are for any.
 */
final class LinkInput implements LinkEvents {

    /** One name in the log for all that a rank's loop says. */
    private static final Logger LOG = WarningLog.of(RankDriver.class);

    private final Engine engine;
    private final Ways ways;
    private final Loop loop;
    private final int rank;
    private final Observers observers;
    private final Consumer<Runnable> event;
    private final CountDownLatch down;
    private volatile boolean isClosing;

    /**
     * The way into that engine.
     *
     * @param ways are told of payloads
     * @param observers of one of the rank's groups
     * @param event runs an event, and asks for the turn that its effects leave in
     */
    LinkInput(Engine engine, Ways ways, Loop loop, int rank, int links, Observers observers, Consumer<Runnable> event) {
        this.engine = engine;
        this.ways = ways;
        this.loop = loop;
        this.rank = rank;
        this.observers = observers;
        this.event = event;
        this.down = new CountDownLatch(links);
    }

    @Override
    public void onFrame(Link link, Frame frame) {
        if (frame instanceof Frame.Withdrawn withdrawn) {
            ways.withdrawn(link.peer(), withdrawn.grant());
        }
        event.accept(() -> engine.frame(link.peer(), frame, loop.nanoTime()));
    }

    @Override
    public @Nullable MemorySegment onDataStart(Link link, long grant, int lengthBytes) {
        ways.began(link.peer(), grant);
        return engine.dataStart(link.peer(), grant, lengthBytes);
    }

    @Override
    public void onDataEnd(Link link, long grant) {
        event.accept(() -> {
            long now = loop.nanoTime();
            measured(link, grant, now);
            engine.dataEnd(link.peer(), grant, now);
        });
    }

    @Override
    public void onDataFailed(Link link, long grant, Throwable fault) {
        event.accept(() -> {
            long now = loop.nanoTime();
            measured(link, grant, now);
            engine.dataFailed(link.peer(), grant, fault, now);
        });
    }

    /** A payload has come: if the way from its peer holds another number of bytes than was known, the engine is told before it asks for more. */
    private void measured(Link link, long grant, long now) {
        if (ways.ended(link.peer(), grant, now)) {
            engine.window(link.peer(), ways.windowBytes(link.peer()), now);
        }
    }

    @Override
    public void onDataLent(Link link, long grant, Loan loan) {
        ways.withdrawn(link.peer(), grant);
        event.accept(() -> engine.dataLent(link.peer(), grant, loan, loop.nanoTime()));
    }

    @Override
    public void onWritten(Link link, Frame.Data frame) {
        event.accept(() -> engine.written(link.peer(), frame, loop.nanoTime()));
    }

    @Override
    public void onWriteFailed(Link link, Frame.Data frame, Throwable fault) {
        event.accept(() -> engine.writeFailed(link.peer(), frame, fault, loop.nanoTime()));
    }

    @Override
    public void onWritable(Link link) {
        event.accept(() -> engine.writable(link.peer(), loop.nanoTime()));
    }

    @Override
    public void onNews(PeerNews news) {
        event.accept(() -> {
            if (news instanceof PeerNews.Lost || news instanceof PeerNews.Cut) {
                LOG.warn("ranks do not hear each other: rank={}, {}", rank, news);
            }
            engine.news(news, loop.nanoTime());
        });
    }

    @Override
    public boolean hearsOfClocks() {
        return observers.areInWorld();
    }

    @Override
    public void onDown(Link link, @Nullable String cause) {
        event.accept(() -> {
            if (cause != null && !isClosing) {
                LOG.warn("lost the link to a rank: rank={}, peer={}, cause={}", rank, link.peer(), cause);
            }
            engine.down(link.peer(), cause, loop.nanoTime());
        });
        down.countDown();
    }

    /** This rank leaves: that links go down is no news. */
    void closing() {
        isClosing = true;
    }

    /** {@return whether all links are down within that time} */
    boolean awaitDown(Duration time) {
        try {
            return down.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
