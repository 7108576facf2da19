package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The receives from any of one group at the leader, and what they make of the numbers of others.
 *
 * <p>A message and a receive that names its source are a call of two members by themselves, and need nothing from here, as long as nobody receives from any.
 * One who does waits in a line with the receives behind it, of the same name and tag, as the receiver made them:
 *
 * <pre>
 *   line of rank 1      any, 0#0, 2#0, any        rank 0 sends its #0: the first takes it, and the second is for #1 from now on
 * </pre>
 *
 * <p>A receiver counts those of its receives that name a source. The leader adds what its receives from any took of that source. Owned by the leader.
 */
final class LeaderMessages {

    private final List<Integer> members;
    /** By destination, name and tag: the first is from any. */
    private final Map<CallKey.Message, List<CallKey.Message>> lines = new HashMap<>();
    /** By source too. The oldest are forgotten; a receiver that then names such a source is taken to have never received from any. */
    private final Map<CallKey.Message, TakenNumbers> taken = new Remembered<>();
    /** The messages that receives from any have found, until nobody speaks of them. */
    private final Map<CallKey.Message, CallKey.Message> found = new HashMap<>();

    /** Messages that their senders refused. Of one that was tried over links its receiver says so too, perhaps when nobody speaks of it any more. */
    private final Map<CallKey.Message, Boolean> refused = new Remembered<>();

    /** @param members the group's world ranks, in its order */
    LeaderMessages(List<Integer> members) {
        this.members = members;
    }

    static boolean isFromAny(CallKey key) {
        return key instanceof CallKey.Message message && message.source() < 0;
    }

    /** Requires that a rank speaks of a call that it may be a member of. */
    void require(int from, CallKey key) {
        if (key instanceof CallKey.Message message) {
            boolean isPossible = message.source() >= -1
                    && message.source() < members.size()
                    && message.destination() < members.size()
                    && message.source() != message.destination()
                    && (isReceiver(from, message) || message.source() >= 0 && members.get(message.source()) == from);
            if (!isPossible) {
                throw new ProtocolException(
                        "a rank spoke of an impossible message: rank=" + from + ", message=" + key.label());
            }
        }
    }

    /** {@return the world rank of the sender of a message, of which its receiver speaks} */
    int requireSender(int from, CallKey.Message message) {
        require(from, message);
        if (message.source() < 0 || !isReceiver(from, message)) {
            throw new ProtocolException(
                    "a rank spoke of a message that is not for it: rank=" + from + ", message=" + message.label());
        }
        return members.get(message.source());
    }

    /** {@return whether a sender's refusal of a message is known} */
    boolean isRefusedAgain(int from, CallKey key) {
        return key instanceof CallKey.Message message
                && !isReceiver(from, message)
                && refused.putIfAbsent(message, true) != null;
    }

    private boolean isReceiver(int from, CallKey.Message message) {
        return members.get(message.destination()) == from;
    }

    /** {@return the identity that both ends have of a call which a rank speaks of} */
    CallKey keyOf(int from, CallKey key) {
        if (!(key instanceof CallKey.Message message) || !isReceiver(from, message)) {
            return key;
        }
        return message.source() < 0 ? found.getOrDefault(message, message) : numbered(message);
    }

    private CallKey.Message numbered(CallKey.Message receive) {
        TakenNumbers of = taken.get(receive.of(receive.source(), 0));
        long number = of == null ? receive.number() : of.number(receive.number());
        return receive.of(receive.source(), number);
    }

    /** {@return what the messages to one receiver, of one name and tag, have in common} */
    static CallKey.Message line(CallKey.Message message) {
        return message.of(-1, 0);
    }

    /** A rank has made a receive, or has failed to: it stands in line behind those from any, or begins one. */
    void posted(int from, CallKey key) {
        if (key instanceof CallKey.Message message && isReceiver(from, message)) {
            if (message.source() < 0) {
                lines.computeIfAbsent(line(message), ignored -> new ArrayList<>())
                        .add(message);
            } else {
                lines.computeIfPresent(line(message), (ignored, line) -> {
                    line.add(message);
                    return line;
                });
            }
        }
    }

    /**
     * {@return the receive from any that takes a message, as the receiver calls it, or null}
     *
     * @param isAwaited whether there is, or was, a receive that names its source and that has the message's number
     */
    CallKey.@Nullable Message taker(int from, CallKey key, boolean isAwaited) {
        if (!(key instanceof CallKey.Message message) || isReceiver(from, message)) {
            return null;
        }
        List<CallKey.Message> line = lines.get(line(message));
        if (line == null || isAwaited && line.stream().noneMatch(each -> isNumbered(each, message))) {
            return null;
        }
        return line.getFirst();
    }

    private boolean isNumbered(CallKey.Message named, CallKey.Message message) {
        if (named.source() < 0) {
            return false;
        }
        return numbered(named).equals(message);
    }

    /** {@return the receives behind one from any that name the source of a message, as their receiver calls them} */
    List<CallKey.Message> behind(CallKey.Message fromAny, CallKey.Message message) {
        List<CallKey.Message> behind = new ArrayList<>();
        List<CallKey.Message> line = lines.getOrDefault(line(message), List.of());
        for (CallKey.Message each : line.subList(line.indexOf(fromAny) + 1, line.size())) {
            if (each.source() == message.source()) {
                behind.add(each);
            }
        }
        return behind;
    }

    /** A receive from any takes a message. */
    void takes(CallKey.Message fromAny, CallKey.Message message) {
        taken.computeIfAbsent(message.of(message.source(), 0), ignored -> new TakenNumbers())
                .take(message.number());
        found.put(fromAny, message);
        vanish(fromAny);
    }

    /** A receive from any waits no more: those up to the next from any are in no line. */
    void vanish(CallKey key) {
        if (key instanceof CallKey.Message message && message.source() < 0) {
            List<CallKey.Message> line = lines.get(line(message));
            if (line != null && line.remove(message)) {
                while (!line.isEmpty() && line.getFirst().source() >= 0) {
                    line.removeFirst();
                }
                if (line.isEmpty()) {
                    lines.remove(line(message));
                }
            }
        }
    }

    /** Nobody speaks of a call again by that key. */
    void forget(CallKey key) {
        if (isFromAny(key)) {
            found.remove((CallKey.Message) key);
        }
    }

    /** {@return receives from any that stand in line, or are spoken of still} */
    int size() {
        return lines.size() + found.size();
    }

    void clear() {
        lines.clear();
        taken.clear();
        found.clear();
        refused.clear();
    }
}
