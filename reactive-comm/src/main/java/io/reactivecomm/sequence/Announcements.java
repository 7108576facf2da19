package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The calls that have become ready on all members of their groups, and are announced together when the leader's round ends.
 *
 * <pre>
 *   ready in this order    a   b (shares memory)   c (urgent)   d (shares memory)
 *   batches                c, a │ b │ d
 * </pre>
 *
 * <p>An engine may merge the calls of a batch, and do them at the same time. A call that shares memory with another one on some member is therefore a batch of its
 * own. Only that member knows what the call shares, and a batch is the same on all. Such calls come last, in the order in which they became ready, whatever their
 * priority: ranks that subscribe to all calls in one order have them done in that order.
 */
final class Announcements {

    /** Lower than any priority. */
    private static final long LAST = Long.MIN_VALUE;

    private static final Comparator<PendingCall> URGENT_FIRST = Comparator.comparingLong(
                    (PendingCall call) -> call.sharesMemory() ? LAST : call.priority())
            .reversed();

    private final Leader.Mail mail;
    /** In the order in which they became ready. */
    private final List<PendingCall> due = new ArrayList<>();

    private long batches;

    Announcements(Leader.Mail mail) {
        this.mail = mail;
    }

    /** {@return the next number in the order} */
    long nextNumber() {
        return batches++;
    }

    void add(PendingCall call) {
        due.add(call);
    }

    void remove(PendingCall call) {
        due.remove(call);
    }

    /** Announces all. @param forget receives each before its name is written */
    void send(Consumer<PendingCall> forget) {
        due.sort(URGENT_FIRST);
        List<PendingCall> batch = new ArrayList<>();
        int names = 0;
        for (PendingCall call : due) {
            forget.accept(call);
            if (call.sharesMemory() && !batch.isEmpty() || names + call.names() > NoticeLayout.MAX_PLACES) {
                send(batch);
                batch.clear();
                names = 0;
            }
            batch.add(call);
            names += call.names();
        }
        if (!batch.isEmpty()) {
            send(batch);
        }
        due.clear();
    }

    private void send(List<PendingCall> batch) {
        Map<Integer, List<NameReference>> shares = new TreeMap<>();
        for (PendingCall call : batch) {
            for (Map.Entry<Integer, NameReference> place : places(call).entrySet()) {
                shares.computeIfAbsent(place.getKey(), ignored -> new ArrayList<>())
                        .add(place.getValue());
            }
        }
        long number = nextNumber();
        shares.forEach((rank, places) -> mail.send(rank, new Notice.Batch(number, places)));
    }

    /** {@return the place of a call as each of its members is told of it} */
    private static Map<Integer, NameReference> places(PendingCall call) {
        Map<Integer, NameReference> places = new TreeMap<>();
        switch (call.key()) {
            case CallKey.Ticket ticket -> {
                NameReference place = call.roster().ring().write(ticket);
                call.members().forEach(rank -> places.put(rank, place));
            }
            case CallKey.Message message ->
                call.members()
                        .forEach(rank -> places.put(
                                rank,
                                new NameReference.Paired(
                                        (CallKey.Message) call.keyOn(rank), message.source(), message.number())));
        }
        return places;
    }
}
