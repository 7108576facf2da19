package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Several calls as one: one identity, one opening to each other rank, one end.
 *
 * <p>They run at the same time. Those of one operation, type, root and reduction are fused: their tensors count as one row. Messages among them pair with
 * those of the same scope on the other rank, and are compared by these two ranks.
 */
public final class Coalesced implements Collective {

    /** Calls that a description lists, one after another alike counting as one; of the rest it gives a number that tells them apart. */
    private static final int SHOWN = 32;

    private final List<Collective> calls;
    private final List<Collective> members;
    private final ScopeMessages messages;
    private final Signature signature;
    private final List<Fused> fused;
    private final Supplier<String> words;

    /** @throws InvalidCallException if there is none, or two of them share memory that one of them writes */
    public Coalesced(List<Collective> calls) {
        this.calls = List.copyOf(calls);
        if (calls.isEmpty()) {
            throw new InvalidCallException(Operation.COALESCED.label()
                    + " call got no calls: calls=0; make at least one in the scope; a rank that has"
                    + " none may send itself an empty tensor");
        }
        Checks.apart(this.calls);
        this.members = this.calls.stream()
                .filter(call -> call.operation() != Operation.MESSAGE)
                .toList();
        this.messages = new ScopeMessages(this.calls.stream()
                .filter(call -> call.operation() == Operation.MESSAGE)
                .toList());
        List<Signature> signatures = members.stream().map(Collective::signature).toList();
        this.signature = new Signature(
                Operation.COALESCED,
                signatures.isEmpty() ? DType.UINT8 : signatures.getFirst().type(),
                Signature.UNEVEN,
                Signature.NO_ROOT,
                null,
                fingerprint(signatures));
        this.fused = fused(members);
        this.words = words(
                label(),
                signatures,
                members.stream().map(Collective::words).toList(),
                messages.isEmpty() ? null : messages.words());
    }

    private static List<Fused> fused(List<Collective> members) {
        Map<Object, List<Collective>> alike = new LinkedHashMap<>();
        for (Collective member : members) {
            alike.computeIfAbsent(Fused.kind(member), ignored -> new ArrayList<>())
                    .add(member);
        }
        return alike.values().stream().map(Fused::new).toList();
    }

    private static long fingerprint(List<Signature> signatures) {
        long hash = signatures.size();
        for (Signature each : signatures) {
            hash = Fingerprint.mix(hash, each.operation().ordinal());
            hash = Fingerprint.mix(hash, each.type().wireCode());
            hash = Fingerprint.mix(hash, each.count());
            hash = Fingerprint.mix(hash, each.root());
            hash = Fingerprint.mix(hash, each.reduction() == null ? 0 : fingerprint(each.reduction()));
            hash = Fingerprint.mix(hash, each.partition());
        }
        return hash;
    }

    private static long fingerprint(String text) {
        long hash = text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = Fingerprint.mix(hash, text.charAt(i));
        }
        return hash;
    }

    /** {@return all calls, in the order in which they were made} */
    public List<Collective> calls() {
        return calls;
    }

    /** {@return the collectives among the calls, in their order: all ranks have the same} */
    public List<Collective> members() {
        return members;
    }

    /** {@return the messages among the calls: each rank has its own} */
    public ScopeMessages messages() {
        return messages;
    }

    /** {@return the collectives with those fused that can be, in the order of the first of each; a caller's own reductions are not} */
    public List<Fused> fused() {
        return fused;
    }

    @Override
    public Operation operation() {
        return Operation.COALESCED;
    }

    @Override
    public Signature signature() {
        return signature;
    }

    @Override
    public List<Tensor> inputs() {
        return all(Collective::inputs);
    }

    @Override
    public List<Tensor> outputs() {
        return all(Collective::outputs);
    }

    @Override
    public List<Tensor> sources(int rank) {
        return all(call -> call.sources(rank));
    }

    @Override
    public List<Tensor> reads(int rank) {
        return all(call -> call.reads(rank));
    }

    @Override
    public List<Tensor> writes(int rank) {
        return all(call -> call.writes(rank));
    }

    @Override
    public List<Tensor> results(int rank) {
        return all(member -> member.results(rank));
    }

    @Override
    public List<Tensor> tensors() {
        return List.copyOf(new LinkedHashSet<>(all(Collective::tensors)));
    }

    private List<Tensor> all(Function<Collective, List<Tensor>> which) {
        List<Tensor> all = new ArrayList<>();
        calls.forEach(call -> all.addAll(which.apply(call)));
        return all;
    }

    @Override
    public Map<Integer, Long> agreements(int rank, int size) {
        Map<Integer, Long> agreements = new TreeMap<>(messages.agreements(rank));
        members.forEach(member -> member.agreements(rank, size)
                .forEach((peer, number) -> agreements.merge(peer, number, Fingerprint::join)));
        return agreements;
    }

    @Override
    public Partitions partitions(int size) {
        return new Partitions(Checks.total(inputs()), Checks.total(outputs()));
    }

    @Override
    public long byteSize(int size) {
        return calls.stream().mapToLong(call -> call.byteSize(size)).sum();
    }

    @Override
    public Coalesced checkedFor(int rank, int size) {
        members.forEach(member -> member.checkedFor(rank, size));
        messages.requireFor(rank, size);
        return this;
    }

    /** {@return such as {@code coalesced(2 × all-reduce(FLOAT32 × 5, SUM), broadcast(INT8 × 3, root=0))}} */
    @Override
    public Supplier<String> words() {
        return words;
    }

    private static Supplier<String> words(
            String label,
            List<Signature> signatures,
            List<Supplier<String>> members,
            @Nullable Supplier<String> messages) {
        return () -> describe(label, signatures, members, messages);
    }

    private static String describe(
            String label,
            List<Signature> signatures,
            List<Supplier<String>> members,
            @Nullable Supplier<String> messages) {
        List<String> shown = new ArrayList<>();
        int at = 0;
        while (at < members.size() && shown.size() < SHOWN) {
            int next = at + 1;
            String text = members.get(at).get();
            while (next < members.size()
                    && signatures.get(next).equals(signatures.get(at))
                    && members.get(next).get().equals(text)) {
                next++;
            }
            shown.add((next - at > 1 ? next - at + " × " : "") + text);
            at = next;
        }
        if (at < members.size()) {
            long rest = members.size() - at;
            for (Supplier<String> each : members.subList(at, members.size())) {
                rest = Fingerprint.mix(rest, fingerprint(each.get()));
            }
            shown.add("… " + (members.size() - at) + " more, #" + Long.toHexString(rest));
        }
        if (messages != null) {
            shown.add(messages.get());
        }
        return label + "(" + String.join(", ", shown) + ")";
    }
}
