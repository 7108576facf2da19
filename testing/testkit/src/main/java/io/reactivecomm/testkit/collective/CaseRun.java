package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.TensorHome;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;

/** A case of the matrix with tensors for all ranks: it assembles the ranks' calls, and checks what they did. */
public final class CaseRun {

    private final CollectiveCase wanted;
    private final int size;
    private final int salt;
    private final TensorHome home;
    private final List<Tensor> inputs = new ArrayList<>();
    private final List<Tensor> outputs = new ArrayList<>();
    private final Map<Integer, MemorySegment> given = new HashMap<>();
    private final byte[] folded;

    /** The source of tensors. */
    @FunctionalInterface
    public interface Memory {

        /** {@return a new tensor of a rank} */
        Tensor tensor(int rank, DType type, long count);
    }

    /** @param salt tells this run's data from that of others */
    public CaseRun(CollectiveCase wanted, int size, int salt, GuardedMemory memory) {
        this(wanted, size, salt, (rank, type, count) -> memory.tensor(salt, type, count), memory.home());
    }

    /** As the other, with tensors of any memory of the host's. */
    public CaseRun(CollectiveCase wanted, int size, int salt, Memory memory) {
        this(wanted, size, salt, memory, TensorHome.HOST);
    }

    private CaseRun(CollectiveCase wanted, int size, int salt, Memory memory, TensorHome home) {
        this.wanted = wanted;
        this.size = size;
        this.salt = salt;
        this.home = home;
        for (int rank = 0; rank < size; rank++) {
            allocate(rank, memory);
        }
        this.folded = wanted.kind().reduces()
                ? Oracle.folded(wanted.type(), wanted.reduction(), salt, size, inputCount())
                : new byte[0];
        fill();
    }

    private DType type() {
        return wanted.type();
    }

    private long inputCount() {
        return wanted.kind() == CollectiveCase.Kind.REDUCE_SCATTER ? wanted.count() * size : wanted.count();
    }

    private void allocate(int rank, Memory memory) {
        long count = wanted.count();
        boolean inPlace = wanted.inPlace();
        switch (wanted.kind()) {
            case ALL_REDUCE, REDUCE, BROADCAST -> {
                Tensor input = memory.tensor(rank, type(), count);
                inputs.add(input);
                outputs.add(inPlace ? input : memory.tensor(rank, type(), count));
            }
            case ALL_GATHER -> {
                Tensor output = memory.tensor(rank, type(), count * size);
                outputs.add(output);
                inputs.add(inPlace ? output.slice(rank * count, count) : memory.tensor(rank, type(), count));
            }
            case REDUCE_SCATTER -> {
                Tensor input = memory.tensor(rank, type(), count * size);
                inputs.add(input);
                outputs.add(inPlace ? input.slice(rank * count, count) : memory.tensor(rank, type(), count));
            }
        }
    }

    /** Scribbles over all outputs, then writes all inputs: the state before the call. */
    public void fill() {
        for (int rank = 0; rank < size; rank++) {
            home.write(GuardedMemory.stale(outputs.get(rank).byteSize()), outputs.get(rank));
            home.write(given(rank), inputs.get(rank));
        }
    }

    /** {@return this rank's call, assembled} */
    public Mono<Work> assemble(ProcessGroup group) {
        Tensor input = inputs.get(group.rank());
        Tensor output = outputs.get(group.rank());
        return switch (wanted.kind()) {
            case ALL_REDUCE ->
                wanted.inPlace()
                        ? group.allReduce(input, wanted.reduction())
                        : group.allReduce(input, output, wanted.reduction());
            case REDUCE -> group.reduce(input, wanted.root(), wanted.reduction());
            case BROADCAST -> group.broadcast(input, wanted.root());
            case ALL_GATHER -> group.allGather(input, output);
            case REDUCE_SCATTER -> group.reduceScatter(input, output, wanted.reduction());
        };
    }

    /** Requires every rank's result to be the oracle's, bit by bit, and what is only read to be as it was. */
    public void verify() {
        for (int rank = 0; rank < size; rank++) {
            verify(rank);
        }
    }

    /** Requires that of one rank: the others may be other processes'. */
    public void verify(int rank) {
        switch (wanted.kind()) {
            case ALL_REDUCE -> requireSame(rank, "result", read(outputs, rank), folded);
            case REDUCE_SCATTER -> requireSame(rank, "result", read(outputs, rank), part(rank));
            case REDUCE -> {
                if (rank == wanted.root()) {
                    requireSame(rank, "result", read(outputs, rank), folded);
                } else {
                    requireInput(rank, "tensor off the root", read(inputs, rank), rank);
                }
            }
            case BROADCAST -> requireInput(rank, "result", read(outputs, rank), wanted.root());
            case ALL_GATHER -> verifyGathered(rank);
        }
        if (!wanted.inPlace()) {
            requireInput(rank, "input out of place", read(inputs, rank), rank);
        }
    }

    private void verifyGathered(int rank) {
        long partBytes = wanted.count() * type().byteSize();
        MemorySegment output = read(outputs, rank);
        for (int source = 0; source < size; source++) {
            requireInput(rank, "part " + source, output.asSlice(source * partBytes, partBytes), source);
        }
    }

    private MemorySegment read(List<Tensor> tensors, int rank) {
        return home.read(tensors.get(rank));
    }

    private byte[] part(int rank) {
        int partBytes = folded.length / size;
        byte[] part = new byte[partBytes];
        System.arraycopy(folded, rank * partBytes, part, 0, partBytes);
        return part;
    }

    private void requireInput(int rank, String what, MemorySegment actual, int contributor) {
        long difference = actual.mismatch(given(contributor));
        if (difference >= 0) {
            differs(rank, what, difference / type().byteSize());
        }
    }

    /** {@return what a rank contributes} */
    private MemorySegment given(int rank) {
        return given.computeIfAbsent(
                rank, each -> MemorySegment.ofArray(Inputs.given(type(), salt, each, inputCount())));
    }

    private void requireSame(int rank, String what, MemorySegment actual, byte[] expected) {
        assertThat(actual.byteSize()).as("bytes of %s", what).isEqualTo(expected.length);
        long difference = actual.mismatch(MemorySegment.ofArray(expected));
        if (difference >= 0) {
            differs(rank, what, difference / type().byteSize());
        }
    }

    private void differs(int rank, String what, long element) {
        throw new AssertionError(
                what + " differs from the oracle: element=" + element + ", rank=" + rank + ", " + this);
    }

    @Override
    public String toString() {
        return "size=" + size + ", salt=" + salt + ", " + wanted;
    }
}
