package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.PeerNews;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Keeps what a link tells, for the test to take in order. */
public final class RecordedEvents implements LinkEvents {

    public sealed interface Event {}

    public record Arrived(Frame frame) implements Event {}

    record Started(long grant, int lengthBytes) implements Event {}

    record Ended(long grant) implements Event {}

    record Failed(long grant, Throwable fault) implements Event {}

    record Written(Frame.Data frame) implements Event {}

    record NotWritten(Frame.Data frame, Throwable fault) implements Event {}

    record Writable() implements Event {}

    public record News(PeerNews news) implements Event {}

    public record Down(@Nullable String cause) implements Event {}

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private volatile BiFunction<Long, Integer, @Nullable MemorySegment> destination = (_, _) -> null;
    private volatile boolean inside;

    /** Says where payloads go. */
    RecordedEvents into(BiFunction<Long, Integer, @Nullable MemorySegment> destination) {
        this.destination = destination;
        return this;
    }

    /** Marks a stretch in which nothing may be delivered, because it is inside a call of the link. */
    void quietly(Runnable calls) {
        inside = true;
        calls.run();
        inside = false;
    }

    /** They come when they come. */
    @Override
    public boolean hearsOfClocks() {
        return false;
    }

    private void add(Event event) {
        events.add(inside ? new Down("an event came from inside a call: " + event) : event);
    }

    Event next() {
        try {
            Event event = events.poll(20, TimeUnit.SECONDS);
            assertThat(event).as("an event within 20 s").isNotNull();
            return event;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return the next event of that kind; others before it are a failure} */
    public <E extends Event> E next(Class<E> type) {
        Event event = next();
        assertThat(event).isInstanceOf(type);
        return type.cast(event);
    }

    /** {@return what there is; it is taken} */
    public List<Event> all() {
        List<Event> all = new ArrayList<>();
        events.drainTo(all);
        return all;
    }

    public boolean isEmpty() {
        return events.isEmpty();
    }

    @Override
    public void onFrame(Link link, Frame frame) {
        add(new Arrived(frame.kept()));
    }

    @Override
    public @Nullable MemorySegment onDataStart(Link link, long grant, int lengthBytes) {
        add(new Started(grant, lengthBytes));
        return destination.apply(grant, lengthBytes);
    }

    @Override
    public void onDataEnd(Link link, long grant) {
        add(new Ended(grant));
    }

    @Override
    public void onDataFailed(Link link, long grant, Throwable fault) {
        add(new Failed(grant, fault));
    }

    @Override
    public void onDataLent(Link link, long grant, Loan loan) {
        throw new AssertionError("a socket lends nothing: grant=" + grant);
    }

    @Override
    public void onWritten(Link link, Frame.Data frame) {
        add(new Written(frame));
    }

    @Override
    public void onWriteFailed(Link link, Frame.Data frame, Throwable fault) {
        add(new NotWritten(frame, fault));
    }

    @Override
    public void onWritable(Link link) {
        add(new Writable());
    }

    @Override
    public void onNews(PeerNews news) {
        add(new News(news));
    }

    @Override
    public void onDown(Link link, @Nullable String cause) {
        add(new Down(cause));
    }
}
