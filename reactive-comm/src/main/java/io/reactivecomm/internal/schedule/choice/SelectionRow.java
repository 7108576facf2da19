package io.reactivecomm.internal.schedule.choice;

import io.reactivecomm.Bits;
import io.reactivecomm.Operation;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.collective.Signature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A row of a {@link Selection}: which calls go by which algorithm.
 *
 * @param conditions all must hold
 * @param reassociates whether calls are served whose bits the algorithm changes
 */
record SelectionRow(Offer offer, List<Condition> conditions, boolean reassociates) {

    private static final String REASSOCIATE = "reassociate";

    SelectionRow {
        conditions = List.copyOf(conditions);
    }

    /**
     * {@return whether the row serves such a call}
     *
     * @param bits which the caller allows
     * @param eagerBytes the largest transfer that travels without a grant
     */
    boolean serves(Signature signature, CallSize size, Bits bits, long eagerBytes) {
        return offer.operation() == signature.operation()
                && conditions.stream().allMatch(condition -> condition.holds(size))
                && offer.runs(signature, size.layout(), eagerBytes)
                && (reassociates || bits == Bits.ANY_ORDER || offer.keepsBits(signature));
    }

    /** {@return an operation as rows spell it, such as {@code all-reduce}} */
    static String label(Operation operation) {
        return operation.label().replace(' ', '-');
    }

    /**
     * {@return the row of a text such as {@code all-reduce:ranks>=4,bytes>=1M=ring}}
     *
     * @throws RendezvousException if it is of another form
     */
    static SelectionRow parse(String text) {
        int equals = text.lastIndexOf('=');
        int afterBound = Math.max(text.lastIndexOf(">="), text.lastIndexOf("<=")) + 1;
        if (equals < 0 || equals == afterBound) {
            throw bad(text, "it names no algorithm", "end it in =ALGORITHM");
        }
        String name = text.substring(equals + 1).strip();
        String[] calls = text.substring(0, equals).split(":", 2);
        Offer offer = offer(text, operation(text, calls[0].strip()), name);
        List<Condition> conditions = new ArrayList<>();
        boolean reassociates = false;
        for (String each : calls.length == 1 ? new String[0] : calls[1].split(",", -1)) {
            String condition = each.strip();
            if (condition.equals(REASSOCIATE)) {
                reassociates = true;
            } else {
                conditions.add(Condition.parse(condition)
                        .orElseThrow(() -> bad(
                                text,
                                "unknown condition=" + condition,
                                "write ranks, hosts, per-host, bytes, total, share or widening, >= or <=, and a number of up to ten digits such as"
                                        + " 64K; or " + REASSOCIATE)));
            }
        }
        return new SelectionRow(offer, conditions, reassociates);
    }

    private static Operation operation(String text, String label) {
        return Arrays.stream(Operation.values())
                .filter(operation ->
                        label(operation).equals(label) && !Offer.of(operation).isEmpty())
                .findFirst()
                .orElseThrow(
                        () -> bad(text, "unknown operation=" + label, "choose one such as all-reduce or all-to-all"));
    }

    private static Offer offer(String text, Operation operation, String name) {
        List<Offer> offers = Offer.of(operation);
        return offers.stream()
                .filter(offer -> offer.name().equals(name))
                .findFirst()
                .orElseThrow(() -> bad(
                        text,
                        "unknown algorithm=" + name,
                        "choose " + offers.stream().map(Offer::name).collect(Collectors.joining(", "))));
    }

    private static RendezvousException bad(String row, String fact, String remedy) {
        return new RendezvousException("a row of the choice of algorithms (RCOMM_ALGORITHMS) cannot be read: row="
                + row.strip() + ", " + fact + "; " + remedy);
    }

    /** {@return the text of which {@link #parse} makes the row again} */
    @Override
    public String toString() {
        List<String> all =
                new ArrayList<>(conditions.stream().map(Condition::toString).toList());
        if (reassociates) {
            all.add(REASSOCIATE);
        }
        return label(offer.operation()) + (all.isEmpty() ? "" : ":" + String.join(",", all)) + "=" + offer.name();
    }
}
