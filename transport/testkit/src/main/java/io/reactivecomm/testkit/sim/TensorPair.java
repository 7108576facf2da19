package io.reactivecomm.testkit.sim;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Inputs;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The input and the output of one call on one rank, in memory that is scribbled over when the call has ended. */
final class TensorPair {

    private static final byte STALE = 0x33;

    private final ScribbledMemory memory;
    private final List<ScribbledMemory.Region> regions;
    private final Tensor input;
    private final Tensor output;

    private TensorPair(ScribbledMemory memory, List<ScribbledMemory.Region> regions, Tensor input, Tensor output) {
        this.memory = memory;
        this.regions = regions;
        this.input = input;
        this.output = output;
    }

    /** {@return the tensors of a call, the input filled, the rest stale} */
    static TensorPair of(Caller caller, Network network) {
        Shape shape = caller.part().shape();
        int size = caller.plan().team().size();
        DType type = shape.type();
        ScribbledMemory memory = network.memory();
        long most = Math.max(shape.inputCount(size), shape.outputCount(size));
        ScribbledMemory.Region whole = memory.allocate(most * type.byteSize(), 8 * network.dice().below(4), caller.toString());
        whole.memory().fill(STALE);
        Tensor first = Tensor.wrap(whole.memory(), type, most);
        TensorPair pair = shape.hasOneTensor() || shape.inPlace()
                ? inPlace(memory, whole, first, caller)
                : apart(memory, whole, first, network, caller);
        if (caller.part().role() != Part.Role.RECEIVER) {
            Inputs.fill(pair.input.segment(), type, Expected.salt(caller.plan()), Expected.giver(caller));
        }
        return pair;
    }

    private static TensorPair inPlace(ScribbledMemory memory, ScribbledMemory.Region whole, Tensor first, Caller caller) {
        Shape shape = caller.part().shape();
        int size = caller.plan().team().size();
        long from = caller.part().groupRank() * shape.count();
        boolean inputIsPart = shape.inputCount(size) < shape.outputCount(size);
        boolean outputIsPart = shape.outputCount(size) < shape.inputCount(size);
        Tensor input = inputIsPart ? first.slice(from, shape.count()) : first;
        Tensor output = outputIsPart ? first.slice(from, shape.count()) : first;
        return new TensorPair(memory, List.of(whole), input, output);
    }

    private static TensorPair apart(
            ScribbledMemory memory, ScribbledMemory.Region whole, Tensor first, Network network, Caller caller) {
        Shape shape = caller.part().shape();
        int size = caller.plan().team().size();
        boolean firstIsInput = shape.inputCount(size) >= shape.outputCount(size);
        long least = Math.min(shape.inputCount(size), shape.outputCount(size));
        ScribbledMemory.Region other =
                memory.allocate(least * shape.type().byteSize(), 8 * network.dice().below(4), caller.toString());
        other.memory().fill(STALE);
        Tensor second = Tensor.wrap(other.memory(), shape.type(), least);
        return new TensorPair(memory, List.of(whole, other), firstIsInput ? first : second, firstIsInput ? second : first);
    }

    Tensor input() {
        return input;
    }

    Tensor output() {
        return output;
    }

    /** {@return whether the output is memory of its own} */
    boolean isApart() {
        return regions.size() > 1;
    }

    /** {@return where the output differs from what it should be, in bytes, or −1} */
    long outputDiffersAt(byte[] expected) {
        return output.segment().mismatch(MemorySegment.ofArray(expected));
    }

    /** {@return where the input differs from what it should be, in bytes, or −1} */
    long inputDiffersAt(byte[] expected) {
        return input.segment().mismatch(MemorySegment.ofArray(expected));
    }

    /** The call has ended. */
    void release() {
        regions.forEach(memory::release);
    }
}
