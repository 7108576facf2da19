package io.reactivecomm.testkit.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.PeerNews;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link under test: calls it on its loop, records its events, and notes what an event may never do.
 *
 * <p><b>Threads.</b> Made and asked by the test's thread; the events come on the loop.
 */
public final class LinkEnd implements LinkEvents {

    private static final Duration LIMIT = Duration.ofSeconds(15);

    private final Link link;
    private final Loop loop;
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    private final Map<Long, MemorySegment> destinations = new ConcurrentHashMap<>();
    private volatile Consumer<Event> listener = event -> {};
    private volatile boolean refusesData;
    private boolean insideCall;
    private boolean down;

    /** An event that the link told. */
    public sealed interface Event {

        record Framed(Frame frame) implements Event {}

        record DataStart(long grant, int lengthBytes) implements Event {}

        record DataEnd(long grant) implements Event {}

        record Written(long grant) implements Event {}

        record Writable() implements Event {}

        record Down(@Nullable String cause) implements Event {}
    }

    public LinkEnd(Link link, Loop loop) {
        this.link = link;
        this.loop = loop;
    }

    Loop loop() {
        return loop;
    }

    /** Runs a task on the loop and waits for its end. */
    void call(Consumer<Link> task) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        loop.execute(() -> {
            insideCall = true;
            try {
                task.accept(link);
                done.complete(true);
            } catch (RuntimeException | AssertionError e) {
                done.completeExceptionally(e);
            } finally {
                insideCall = false;
            }
        });
        done.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Writes frames and flushes. */
    void send(List<? extends Frame> frames) {
        call(to -> {
            frames.forEach(to::write);
            to.flush();
        });
    }

    /** Names where a grant's payload goes; without that it is forgotten. */
    void expect(long grant, MemorySegment destination) {
        destinations.put(grant, destination);
    }

    /** Answers all data with a broken protocol. */
    void refuseData() {
        refusesData = true;
    }

    /** Has that done at each event, on the loop. */
    void onEvent(Consumer<Event> action) {
        listener = action;
    }

    /** {@return the next event of that type; those of other types before it are dropped} */
    <E extends Event> E next(Class<E> type) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        for (Event event = poll(deadline); event != null; event = poll(deadline)) {
            if (type.isInstance(event)) {
                return type.cast(event);
            }
        }
        throw new AssertionError(
                "no such event came: type=" + type.getSimpleName() + ", waited=" + LIMIT + ", faults=" + faults);
    }

    /** {@return what came next from the peer; what the link told of its own sending is dropped} */
    Event nextArrival() {
        Event event = next(Event.class);
        while (event instanceof Event.Written || event instanceof Event.Writable) {
            event = next(Event.class);
        }
        return event;
    }

    /** {@return what came next for a grant: the end of its payload, or that it was withdrawn} */
    Event nextAnswer() {
        Event event = next(Event.class);
        while (!(event instanceof Event.DataEnd || event instanceof Event.Framed)) {
            event = next(Event.class);
        }
        assertThat(event)
                .satisfiesAnyOf(
                        each -> assertThat(each).isInstanceOf(Event.DataEnd.class),
                        each -> assertThat(((Event.Framed) each).frame()).isInstanceOf(Frame.Withdrawn.class));
        return event;
    }

    /** {@return where that grant's payload was to go} */
    MemorySegment destination(long grant) {
        MemorySegment destination = destinations.get(grant);
        if (destination == null) {
            throw new AssertionError("no destination was named: grant=" + grant);
        }
        return destination;
    }

    /** On the loop: drains a grant, then uses its destination for something else. */
    void drainAndFill(long grant, MemorySegment destination, int value) {
        insideCall = true;
        link.drain(grant);
        insideCall = false;
        destination.fill((byte) value);
    }

    /** {@return the next events of that type} */
    <E extends Event> List<E> next(Class<E> type, int count) {
        List<E> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            found.add(next(type));
        }
        return found;
    }

    /** {@return the events that have come and were not taken} */
    List<Event> rest() {
        List<Event> rest = new ArrayList<>();
        events.drainTo(rest);
        return rest;
    }

    private @Nullable Event poll(long deadline) {
        try {
            return events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for an event", e);
        }
    }

    /** Requires that every event kept the rules. */
    void checkRules() {
        assertThat(faults).as("events that broke the rules").isEmpty();
    }

    private void record(Link from, Event event) {
        if (from != link) {
            faults.add("names another link: " + event);
        }
        if (!loop.inLoop()) {
            faults.add("not on the loop: " + event);
        }
        if (insideCall) {
            faults.add("from inside a call: " + event);
        }
        if (down) {
            faults.add("after the end: " + event);
        }
        down |= event instanceof Event.Down;
        events.add(event);
        listener.accept(event);
    }

    @Override
    public void onFrame(Link from, Frame frame) {
        if (frame instanceof Frame.Data) {
            faults.add("data as a frame: " + frame);
        }
        record(from, new Event.Framed(frame.kept()));
    }

    @Override
    public @Nullable MemorySegment onDataStart(Link from, long grant, int lengthBytes) {
        record(from, new Event.DataStart(grant, lengthBytes));
        if (refusesData) {
            throw new ProtocolException("data answers no grant: grant=" + grant);
        }
        return destinations.get(grant);
    }

    @Override
    public void onDataEnd(Link from, long grant) {
        record(from, new Event.DataEnd(grant));
    }

    @Override
    public void onDataFailed(Link from, long grant, Throwable fault) {
        throw new AssertionError("a payload's place is gone: grant=" + grant, fault);
    }

    @Override
    public void onDataLent(Link from, long grant, Loan loan) {
        MemorySegment destination = onDataStart(from, grant, (int) loan.memory().byteSize());
        boolean intact = loan.begin();
        if (intact && destination != null) {
            MemorySegment.copy(loan.memory(), 0, destination, 0, loan.memory().byteSize());
        }
        intact = intact && loan.end();
        giveBack(loan);
        record(from, intact ? new Event.DataEnd(grant) : new Event.Framed(new Frame.Withdrawn(grant)));
    }

    /** Soon, as an engine does at the end of its turn. */
    private void giveBack(Loan loan) {
        loan.giveBack();
        loop.execute(link::flush);
    }

    @Override
    public void onWritten(Link from, Frame.Data frame) {
        record(from, new Event.Written(frame.grant()));
    }

    @Override
    public void onWriteFailed(Link from, Frame.Data frame, Throwable fault) {
        throw new AssertionError("a payload's memory is gone: grant=" + frame.grant(), fault);
    }

    @Override
    public void onWritable(Link from) {
        record(from, new Event.Writable());
    }

    /** A pair whose ranks compare their clocks, or find a loop held up by a busy machine, is sound. */
    @Override
    public void onNews(PeerNews news) {
        if (news instanceof PeerNews.Lost || news instanceof PeerNews.Cut) {
            throw new AssertionError("a pair of links has lost a rank: " + news);
        }
    }

    @Override
    public void onDown(Link from, @Nullable String cause) {
        record(from, new Event.Down(cause));
    }
}
