package io.reactivecomm.testkit;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** An observer that keeps what it is told, in order. */
public final class ObserverNotes implements CommObserver {

    public final List<Note> all = new CopyOnWriteArrayList<>();
    public final List<CommEvent> events = new CopyOnWriteArrayList<>();
    private final CompletableFuture<CommEvent> firstEvent = new CompletableFuture<>();
    private final Map<String, CompletableFuture<Void>> ends = new ConcurrentHashMap<>();
    private final boolean wantsCallSites;

    public ObserverNotes() {
        this(false);
    }

    public ObserverNotes(boolean wantsCallSites) {
        this.wantsCallSites = wantsCallSites;
    }

    @Override
    public boolean wantsCallSites() {
        return wantsCallSites;
    }

    /** The kinds of what is told. */
    public enum Kind {
        SUBSCRIBED,
        MATCHED,
        FIRST_BYTE,
        LAST_BYTE,
        ENDED
    }

    /**
     * One thing that was told of a call.
     *
     * @param detail the Context, the peer or the error
     */
    public record Note(
            Kind kind,
            ObservedCall call,
            long nanos,
            @Nullable Object detail) {}

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        all.add(new Note(Kind.SUBSCRIBED, call, call.subscribedAt(), context));
    }

    @Override
    public void matched(ObservedCall call, int peer, long nanos) {
        all.add(new Note(Kind.MATCHED, call, nanos, peer));
    }

    @Override
    public void firstByte(ObservedCall call, long nanos) {
        all.add(new Note(Kind.FIRST_BYTE, call, nanos, null));
    }

    @Override
    public void lastByte(ObservedCall call, long nanos) {
        all.add(new Note(Kind.LAST_BYTE, call, nanos, null));
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        all.add(new Note(Kind.ENDED, call, nanos, error));
        end(call.operation()).complete(null);
    }

    /** Comparisons of clocks come with heartbeats, which only some links have, whenever they will. */
    @Override
    public void happened(CommEvent event) {
        if (!(event instanceof CommEvent.ClockCompared)) {
            events.add(event);
            firstEvent.complete(event);
        }
    }

    /** {@return the calls that it heard of, in the order of their subscriptions} */
    public List<ObservedCall> calls() {
        return of(Kind.SUBSCRIBED, each -> true).stream().map(Note::call).toList();
    }

    /** {@return the one call of that operation} */
    public ObservedCall call(String operation) {
        List<ObservedCall> found = calls().stream()
                .filter(each -> each.operation().equals(operation))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError("not one call of that operation: operation=" + operation + ", calls="
                    + calls().stream().map(ObservedCall::label).toList());
        }
        return found.getFirst();
    }

    public List<Note> of(ObservedCall call) {
        return all.stream().filter(each -> each.call == call).toList();
    }

    public List<Note> of(Kind kind, Predicate<Note> which) {
        return all.stream().filter(each -> each.kind == kind).filter(which).toList();
    }

    /** Waits until a call of that operation has ended. */
    public void awaitEnd(String operation, long seconds) {
        end(operation).orTimeout(seconds, TimeUnit.SECONDS).join();
    }

    private CompletableFuture<Void> end(String operation) {
        return ends.computeIfAbsent(operation, ignored -> new CompletableFuture<>());
    }

    /** {@return the first event, as soon as it is there} */
    public CommEvent event(long seconds) {
        return firstEvent.orTimeout(seconds, TimeUnit.SECONDS).join();
    }
}
