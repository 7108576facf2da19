package io.reactivecomm.internal.group;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.stream.StreamPlace;
import io.reactivecomm.spi.link.Frame;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The count of the messages of one place: those sent to a rank, received from one by its name, and received from any, each by name and tag. Whichever engine
 * performs them, so that the n-th of one end is the n-th of the other.
 *
 * <p>A receive from any takes whichever message comes first. So receives of a name and tag, one of which is from any, all go to one engine: where two
 * looked for it, neither would know what the other has found.
 *
 * <p><b>Threads.</b> Any.
 */
final class MessageNumbers {

    private final Map<End, AtomicLong> next = new ConcurrentHashMap<>();
    private final Map<Line, Receives> receives = new ConcurrentHashMap<>();

    /** The messages of a name and tag to a rank, or from one, or from any. */
    private record End(boolean isSent, String name, int tag, int peer) {

        private static End of(Submission.Address address) {
            String name;
            int tag;
            int peer;
            switch (address) {
                case Submission.Address.To to -> {
                    name = to.name();
                    tag = to.tag();
                    peer = to.peer();
                }
                case Submission.Address.From from -> {
                    name = from.name();
                    tag = from.tag();
                    peer = from.peer();
                }
                case Submission.Address.Collectively collective ->
                    throw new IllegalArgumentException(
                            "not a message: call=" + collective.key().label());
            }
            return new End(address instanceof Submission.Address.To, name, tag, peer);
        }
    }

    /** The receives of a name and tag. */
    private record Line(String name, int tag) {}

    /** The engines that they went to, and whether one of them was from any. */
    private static final class Receives {

        private final Set<String> engines = new LinkedHashSet<>();
        private boolean fromAny;

        /** {@return the engines that a receive would mix, or null if it may go to that one} */
        private synchronized @Nullable String mixed(String engine, boolean isFromAny) {
            boolean isNew = engines.add(engine);
            if (engines.size() > 1 && (fromAny || isFromAny)) {
                String all = engines.toString();
                if (isNew) {
                    engines.remove(engine);
                }
                return all;
            }
            fromAny |= isFromAny;
            return null;
        }

        private synchronized boolean isFromAny() {
            return fromAny;
        }
    }

    /** {@return the number of a message or receive that is subscribed to now, from 0} */
    long take(Submission.Address end) {
        return next.computeIfAbsent(End.of(end), ignored -> new AtomicLong()).getAndIncrement();
    }

    /** A stream makes no further call: nothing is counted under its names any more, which no other stream has. */
    void over(StreamPlace place, long stream) {
        for (String name : place.fromSender(stream)) {
            next.remove(new End(place.isOutgoing(), name, place.tag(), place.peer()));
        }
        next.remove(new End(!place.isOutgoing(), place.fromReceiver(stream), place.tag(), place.peer()));
    }

    /** {@return what is counted} */
    int size() {
        return next.size() + receives.size();
    }

    /**
     * Requires that receives of a line of which one is from any go to one engine.
     *
     * @throws InvalidCallException if this one does not
     */
    void requireOneEngine(Submission.Address end, String engine) {
        // Streams receive from any nowhere, and there is no end to their names.
        if (end instanceof Submission.Address.From from && !StreamPlace.isOfMessages(from.name())) {
            String engines = receives.computeIfAbsent(new Line(from.name(), from.tag()), ignored -> new Receives())
                    .mixed(engine, from.peer() < 0);
            if (engines != null) {
                throw new InvalidCallException(
                        "receives from any cannot share a tag with those of another engine: name=" + from.name()
                                + ", tag=" + from.tag() + ", engines=" + engines
                                + "; give the messages of each engine a tag of their own, or name the sources");
            }
        }
    }

    /** {@return what links are told of an end that they perform: its number, unless its line has receives from any} */
    long onLinks(Submission.Address end, long number) {
        if (!(end instanceof Submission.Address.From from)) {
            return number;
        }
        if (from.peer() < 0) {
            return Frame.Wanted.ANY;
        }
        Receives line = receives.get(new Line(from.name(), from.tag()));
        return line != null && line.isFromAny() ? Frame.Wanted.NONE : number;
    }
}
