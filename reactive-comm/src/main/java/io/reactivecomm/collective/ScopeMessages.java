package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The messages of one rank in a scope. The n-th that it sends to a rank is the n-th that this one receives from it, and no other call's.
 *
 * <pre>
 *   rank 0   send(a, 1, 7)   receive(b, 1, 0)   send(c, 1, 0)        0 to 1: a c     1 to 0: b
 *   rank 1   receive(c, 0, 0)   receive(a, 0, 7)   send(b, 0, 0)     0 to 1: c a, which differs; so the scope fails
 * </pre>
 *
 * <p>What two ranks exchange is a matter of these two alone. So it stands in no {@link Signature}: {@link #agreements} has a number for each other rank.
 *
 * @param calls sends and receives, in the order in which they were made
 */
public record ScopeMessages(List<Collective> calls) {

    /** Messages that a description lists, one after another alike counting as one; of the rest it gives a number that tells them apart. */
    private static final int SHOWN = 64;

    /**
     * A message as both of its ends know it, and the other end.
     *
     * @param isSent whether this rank sends it
     */
    private record End(boolean isSent, int peer, DType type, long count, int tag) {

        private static End of(Collective message) {
            int peer;
            int tag;
            switch (message) {
                case Send send -> {
                    peer = send.peer();
                    tag = send.tag();
                }
                case Receive receive -> {
                    peer = receive.peer();
                    tag = receive.tag();
                }
                default -> throw new IllegalArgumentException("no message: " + message.describe());
            }
            Signature signature = message.signature();
            return new End(message instanceof Send, peer, signature.type(), signature.count(), tag);
        }

        private long fingerprint() {
            return Fingerprint.mix(Fingerprint.mix(1 + type.wireCode(), count), tag);
        }

        private String line() {
            return (isSent ? "to " : "from ") + peer;
        }

        private String what() {
            return type + " × " + count + (tag == 0 ? "" : " tag=" + tag);
        }
    }

    public ScopeMessages {
        calls = List.copyOf(calls);
    }

    /** {@return a number of a message by which its two ends, and no others, agree on it: of its type, count and tag} */
    public static long fingerprint(Collective message) {
        return End.of(message).fingerprint();
    }

    /** {@return whether there is none} */
    public boolean isEmpty() {
        return calls.isEmpty();
    }

    /** {@return the other ranks that this one sends to or receives from, each with a number that both ranks have if they mean the same messages} */
    public Map<Integer, Long> agreements(int rank) {
        Map<Integer, Long> sent = lists(true, rank);
        Map<Integer, Long> received = lists(false, rank);
        Map<Integer, Long> agreements = new TreeMap<>();
        sent.forEach((peer, list) -> agreements.put(peer, of(rank < peer, list, received.getOrDefault(peer, 0L))));
        received.forEach((peer, list) -> agreements.putIfAbsent(peer, of(rank < peer, 0, list)));
        return agreements;
    }

    /** {@return a number for each other rank to which this one sends, or from which it receives: of all that goes there, in its order} */
    private Map<Integer, Long> lists(boolean sent, int rank) {
        Map<Integer, Long> lists = new TreeMap<>();
        for (Collective call : calls) {
            End end = End.of(call);
            if (end.isSent == sent && end.peer != rank) {
                lists.put(end.peer, Fingerprint.mix(lists.getOrDefault(end.peer, 0L), end.fingerprint()));
            }
        }
        return lists;
    }

    /** Both ends have the list first that goes up. */
    private static long of(boolean isSentUp, long sent, long received) {
        return isSentUp ? Fingerprint.join(sent, received) : Fingerprint.join(received, sent);
    }

    /** {@return what this rank sends to itself} */
    public List<Send> toItself(int rank) {
        return calls.stream()
                .filter(call -> call instanceof Send send && send.peer() == rank)
                .map(Send.class::cast)
                .toList();
    }

    /** {@return what this rank receives from itself, in the order of {@link #toItself}} */
    public List<Receive> fromItself(int rank) {
        return calls.stream()
                .filter(call -> call instanceof Receive receive && receive.peer() == rank)
                .map(Receive.class::cast)
                .toList();
    }

    /**
     * Requires that a rank of a group of that size can exchange these.
     *
     * @throws InvalidCallException if it cannot
     */
    void requireFor(int rank, int size) {
        calls.forEach(call -> requirePeer(End.of(call), size));
        List<Long> sent =
                toItself(rank).stream().map(ScopeMessages::fingerprint).toList();
        List<Long> received =
                fromItself(rank).stream().map(ScopeMessages::fingerprint).toList();
        if (!sent.equals(received)) {
            throw Checks.invalid(
                    Operation.COALESCED,
                    "sends this rank itself something else than it receives: rank=" + rank + ", call=" + words().get()
                            + "; send and receive the same types, counts and tags in the same order");
        }
    }

    private static void requirePeer(End end, int size) {
        if (end.peer == ProcessGroup.ANY) {
            throw Checks.invalid(
                    Operation.COALESCED,
                    "cannot receive from any rank, since each two ranks compare what goes between them: peer=ANY,"
                            + " tag=" + end.tag + "; name the source, or receive outside the scope");
        }
        if (end.peer < 0 || end.peer >= size) {
            throw Checks.invalid(
                    Operation.COALESCED,
                    "got a peer outside the group: peer=" + end.peer + ", size=" + size + "; name a rank from 0 to "
                            + (size - 1));
        }
    }

    /** {@return what lists the messages, such as {@code to 1: [2 × FLOAT32 × 5, INT8 × 3 tag=7]}, and holds on to no tensor} */
    Supplier<String> words() {
        List<End> ends = calls.stream().map(End::of).toList();
        return () -> describe(ends);
    }

    private static String describe(List<End> ends) {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        int shown = 0;
        int at = 0;
        while (at < ends.size() && shown < SHOWN) {
            int next = at + 1;
            while (next < ends.size() && ends.get(next).equals(ends.get(at))) {
                next++;
            }
            String times = next - at > 1 ? next - at + " × " : "";
            lines.computeIfAbsent(ends.get(at).line(), ignored -> new ArrayList<>())
                    .add(times + ends.get(at).what());
            at = next;
            shown++;
        }
        List<String> texts = new ArrayList<>();
        lines.forEach((line, list) -> texts.add(line + ": " + list));
        if (at < ends.size()) {
            long rest = ends.size() - at;
            for (End each : ends.subList(at, ends.size())) {
                rest = Fingerprint.mix(Fingerprint.mix(rest, each.fingerprint()), each.isSent ? each.peer : ~each.peer);
            }
            texts.add("… " + (ends.size() - at) + " more, #" + Long.toHexString(rest));
        }
        return String.join(", ", texts);
    }
}
