package io.reactivecomm.nccl;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The comparison of {@link PairLengths} between the ranks of a group, over links, before anything is launched.
 *
 * <pre>
 *   to each other rank: how many elements it gets, call by call
 *   to each other rank: what differs, in words, and of which calls this rank is a root with equal parts
 * </pre>
 *
 * <p>So all ranks learn whether all pairs agree, and none launches what another does not.
 *
 * <p><b>Threads.</b> Any; both rounds end on the loop of the links.
 */
final class PairAgreement {

    /** Of the words for a difference, of which a call's parts are the most. */
    private static final int TEXT_BYTES = 2048;

    private final ProcessGroup links;
    private final EngineGroup group;
    /** Tells its rounds from those of other batches, which may be under way at the same time. */
    private final int tag;
    private final List<PairLengths> calls;

    /**
     * The outcome, the same on all ranks.
     *
     * @param fault what differs; empty if nothing does
     * @param regular for each call: whether its root has said that its parts are equal
     */
    record Outcome(Optional<Failure> fault, List<Boolean> regular) {

        /** The outcome where there was nothing to compare. */
        static final Outcome NOTHING = new Outcome(Optional.empty(), List.of());
    }

    /** The words of one rank. */
    private record Words(String fault, List<Boolean> regular) {}

    private PairAgreement(ProcessGroup control, EngineGroup group, int number, List<PairLengths> calls) {
        this.links = control.named("nccl\u0001pairs" + group.id() + "," + group.generation());
        this.group = group;
        this.tag = 2 * number;
        this.calls = calls;
    }

    /** {@return the outcome} All ranks of the group subscribe. @param number how many comparisons the group has had before */
    static Mono<Outcome> of(ProcessGroup control, EngineGroup group, int number, List<PairLengths> calls) {
        return Mono.defer(() -> new PairAgreement(control, group, number, calls).outcome());
    }

    private int size() {
        return group.worldRanks().size();
    }

    private Mono<Outcome> outcome() {
        return exchange(this::sent, (long) calls.size() * Long.BYTES, tag)
                .flatMap(told -> exchange(ignored -> words(told), TEXT_BYTES + calls.size(), tag + 1))
                .map(this::settled);
    }

    /** Makes what one rank is told. */
    private interface Told {

        byte[] to(int rank);
    }

    /** {@return what each rank has told this one, itself among them} */
    private Mono<List<byte[]>> exchange(Told told, long bytes, int round) {
        List<byte[]> all = new ArrayList<>(IntStream.range(0, size()).mapToObj(told::to).toList());
        List<Tensor> used = new ArrayList<>();
        List<Mono<?>> messages = new ArrayList<>();
        for (int peer = 0; peer < size(); peer++) {
            if (peer != group.rank()) {
                int rank = peer;
                Tensor out = Tensor.of(all.get(peer));
                Tensor in = Tensor.allocate(out.type(), bytes);
                used.addAll(List.of(out, in));
                messages.add(links.send(out, group.worldRanks().get(peer), round));
                messages.add(links.receive(in, group.worldRanks().get(peer), round).doOnNext(work -> all.set(rank, in.toByteArray())));
            }
        }
        return Flux.merge(Flux.fromIterable(messages), messages.size() + 1)
                .then(Mono.just(all))
                .doFinally(end -> used.forEach(Tensor::close));
    }

    private byte[] sent(int peer) {
        byte[] bytes = new byte[calls.size() * Long.BYTES];
        MemorySegment counts = MemorySegment.ofArray(bytes);
        for (int i = 0; i < calls.size(); i++) {
            counts.set(ValueLayout.JAVA_LONG_UNALIGNED, (long) i * Long.BYTES, calls.get(i).sends()[peer]);
        }
        return bytes;
    }

    private byte[] words(List<byte[]> told) {
        byte[] bytes = new byte[TEXT_BYTES + calls.size()];
        byte[] text = difference(told).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, bytes, 0, Math.min(text.length, TEXT_BYTES - 1));
        for (int i = 0; i < calls.size(); i++) {
            bytes[TEXT_BYTES + i] = (byte) (calls.get(i).isRegular() ? 1 : 0);
        }
        return bytes;
    }

    /** {@return the first difference that this rank sees; empty if there is none} */
    private String difference(List<byte[]> told) {
        for (int i = 0; i < calls.size(); i++) {
            PairLengths call = calls.get(i);
            for (int peer = 0; peer < size(); peer++) {
                long sent = MemorySegment.ofArray(told.get(peer)).get(ValueLayout.JAVA_LONG_UNALIGNED, (long) i * Long.BYTES);
                if (sent != call.takes()[peer]) {
                    return "call=" + call.describe() + ", as rank " + group.rank() + " says: rank " + peer + " of the group sends " + sent
                            + " elements where this one expects " + call.takes()[peer];
                }
            }
        }
        return "";
    }

    private Outcome settled(List<byte[]> told) {
        List<Words> words = told.stream().map(this::read).toList();
        List<Boolean> regular = IntStream.range(0, calls.size())
                .mapToObj(call -> words.stream().anyMatch(each -> each.regular.get(call)))
                .toList();
        return new Outcome(fault(words), regular);
    }

    private Words read(byte[] bytes) {
        String text = MemorySegment.ofArray(bytes).getString(0, StandardCharsets.UTF_8);
        return new Words(text, IntStream.range(0, calls.size()).mapToObj(call -> bytes[TEXT_BYTES + call] != 0).toList());
    }

    /** {@return what the first rank says that sees a difference: whoever hears of the failure first hears the same} */
    private Optional<Failure> fault(List<Words> words) {
        for (int rank = 0; rank < size(); rank++) {
            if (!words.get(rank).fault.isEmpty()) {
                String text = "ranks differ about their parts: " + words.get(rank).fault + "; give both ends the same lengths";
                return Optional.of(new Failure(Failure.Kind.MISMATCH, group.worldRanks().get(rank), text));
            }
        }
        return Optional.empty();
    }
}
