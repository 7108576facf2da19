package io.reactivecomm.compression.internal.state;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.StepMemory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/**
 * The first call of each step: the ranks tell each other which step theirs is, and of what. Those that are ahead, because the last one failed elsewhere, go back by one.
 *
 * <pre>
 *   rank 0: 7    rank 1: 8, can go back    rank 2: 7    all begin at 7
 *   rank 0: 7    rank 1: 9                              an error on all ranks
 * </pre>
 *
 * <p>Ranks with other codecs, or other elements, might read each other's bytes before the composite call tells them: so here, where their hashes differ, they tell each other in words.
 */
public final class StepAgreement {

    private static final int FACTS = 3;
    private static final int STEP = 0;
    private static final int CAN_GO_BACK = 1;
    private static final int HASH = 2;

    /** Of each rank's words. Most labels are shorter; what plans add may be longer, and is cut. Then the hash tells two apart. */
    private static final int MOST_BYTES = 512;

    private static final long HASH_FACTOR = 0x100_0000_01B3L;

    private final String name;
    private final NamedState state;
    private final ProcessGroup group;
    private final StepMemory memory;

    private StepAgreement(String name, NamedState state, ProcessGroup group, StepMemory memory) {
        this.name = name;
        this.state = state;
        this.group = group;
        this.memory = memory;
    }

    /** {@return the end of it} All ranks see the same numbers, so they agree or fail alike. */
    public static Mono<Void> on(String name, NamedState state, ProcessGroup group) {
        return StepMemory.with(memory -> new StepAgreement(name, state, group, memory).run());
    }

    private Mono<Void> run() {
        Tensor own = memory.of(
                () -> Tensor.of(new long[] {state.latest().step(), state.hasBefore() ? 1 : 0, hash(words(""))}));
        Tensor all = memory.of(() -> Tensor.allocate(DType.INT64, (long) FACTS * group.size()));
        return group.allGather(own, all).then(CodecThreads.guarded(() -> settle(all.toLongArray())));
    }

    /** What is short stands first: labels are as long as they like. */
    private byte[] words(String inserted) {
        StateShape shape = state.shape();
        return (shape.type() + " × " + shape.count() + inserted + " by " + shape.codec())
                .getBytes(StandardCharsets.UTF_8);
    }

    private byte[] wordsOfLimitedLength() {
        byte[] words = words("");
        return Arrays.copyOf(
                words.length > MOST_BYTES ? words(", hash " + Long.toHexString(hash(words))) : words, MOST_BYTES);
    }

    /** FNV-1a, of 64 bits. */
    private static long hash(byte[] words) {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (byte each : words) {
            hash = (hash ^ (each & 0xFF)) * HASH_FACTOR;
        }
        return hash;
    }

    private Mono<Void> settle(long[] facts) {
        if (IntStream.range(0, group.size())
                        .mapToLong(rank -> facts[rank * FACTS + HASH])
                        .distinct()
                        .count()
                > 1) {
            return disagree();
        }
        goBackTo(least(facts), facts);
        return Mono.empty();
    }

    private static long least(long[] facts) {
        return IntStream.range(0, facts.length / FACTS)
                .mapToLong(rank -> facts[rank * FACTS + STEP])
                .min()
                .orElse(0);
    }

    private void goBackTo(long least, long[] facts) {
        for (int rank = 0; rank < group.size(); rank++) {
            long step = facts[rank * FACTS + STEP];
            boolean canGoBack = step == least + 1 && facts[rank * FACTS + CAN_GO_BACK] != 0;
            if (step != least && !canGoBack) {
                throw new InvalidCallException("the states of a compressed all-reduce are not those of one step: name="
                        + name + ", steps by rank="
                        + IntStream.range(0, group.size())
                                .mapToObj(each -> facts[each * FACTS + STEP])
                                .toList()
                        + "; restore what all ranks saved after one step, or reset the state on all of them");
            }
        }
        if (state.latest().step() != least) {
            state.stepBack();
        }
    }

    private Mono<Void> disagree() {
        Tensor own = memory.of(() -> Tensor.of(wordsOfLimitedLength()));
        Tensor all = memory.of(() -> Tensor.allocate(DType.INT8, (long) MOST_BYTES * group.size()));
        return group.allGather(own, all)
                .then(Mono.error(
                        () -> new MismatchException("compressed all-reduces differ: name=" + name + ", calls by rank="
                                + texts(all.toByteArray()) + "; give all ranks the same codec, options and elements")));
    }

    private List<String> texts(byte[] all) {
        return IntStream.range(0, group.size())
                .mapToObj(rank ->
                        new String(all, rank * MOST_BYTES, MOST_BYTES, StandardCharsets.UTF_8).replace("\0", ""))
                .toList();
    }
}
