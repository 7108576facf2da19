package io.reactivecomm.simulator;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.collective.TensorLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The inputs and the outputs of one call on one rank, in memory that is scribbled over when the call has ended. */
final class Tensors {

    private static final byte STALE = 0x33;

    private final VirtualNetwork network;
    private final DType type;
    private final Object owner;
    private final List<ScribbledMemory.Region> regions = new ArrayList<>();
    private final List<Tensor> inputs;
    private final List<Tensor> outputs;
    private final boolean apart;

    private Tensors(TensorLayout layout, DType type, boolean inPlace, VirtualNetwork network, Object owner) {
        this.network = network;
        this.type = type;
        this.owner = owner;
        this.apart = !(inPlace && layout.canBeInPlace());
        if (apart) {
            inputs = allocated(layout.inputs());
            outputs = allocated(layout.outputs());
        } else if (layout.guestsAreInputs()) {
            outputs = allocated(layout.outputs());
            inputs = guests(layout, layout.inputs(), outputs);
        } else {
            inputs = allocated(layout.inputs());
            outputs = guests(layout, layout.outputs(), inputs);
        }
    }

    /** {@return the tensors of a call, the inputs filled, the rest stale} */
    static Tensors of(Caller caller, VirtualNetwork network) {
        Shape shape = caller.part().shape();
        boolean inPlace = shape.inPlace() || shape.form().hasOneTensor();
        Tensors made = new Tensors(caller.layout(), shape.type(), inPlace, network, caller);
        if (caller.part().role() != RankCall.Role.RECEIVER) {
            made.fill(Expected.input(caller));
        }
        return made;
    }

    private List<Tensor> allocated(List<Long> lengths) {
        List<Tensor> tensors = new ArrayList<>(lengths.size());
        for (long length : lengths) {
            ScribbledMemory.Region region = network.memory()
                    .allocate(length * type.byteSize(), 8 * network.dice().below(4), owner);
            region.memory().fill(STALE);
            regions.add(region);
            tensors.add(Tensor.wrap(region.memory(), type, length));
        }
        return tensors;
    }

    private static List<Tensor> guests(TensorLayout layout, List<Long> lengths, List<Tensor> hosts) {
        List<Tensor> guests = new ArrayList<>(lengths.size());
        for (int i = 0; i < lengths.size(); i++) {
            TensorLayout.Guest place = layout.guests().get(i);
            Tensor host = hosts.get(place.host());
            guests.add(lengths.get(i) == host.count() ? host : host.slice(place.from(), lengths.get(i)));
        }
        return guests;
    }

    private void fill(byte[] row) {
        int from = 0;
        for (Tensor input : inputs) {
            int length = (int) input.byteSize();
            MemorySegment.copy(MemorySegment.ofArray(row), from, input.segment(), 0, length);
            from += length;
        }
    }

    List<Tensor> inputs() {
        return inputs;
    }

    List<Tensor> outputs() {
        return outputs;
    }

    /** {@return whether the outputs are memory of their own} */
    boolean isApart() {
        return apart;
    }

    /** {@return where the outputs, one after the other, differ from what they should be, in bytes, or −1} */
    long outputDiffersAt(byte[] expected) {
        return differsAt(outputs, expected);
    }

    /** {@return where the inputs, one after the other, differ from what they should be, in bytes, or −1} */
    long inputDiffersAt(byte[] expected) {
        return differsAt(inputs, expected);
    }

    private static long differsAt(List<Tensor> tensors, byte[] expected) {
        long from = 0;
        for (Tensor tensor : tensors) {
            long to = from + tensor.byteSize();
            long at = to > expected.length
                    ? 0
                    : MemorySegment.mismatch(
                            tensor.segment(), 0, tensor.byteSize(), MemorySegment.ofArray(expected), from, to);
            if (at >= 0) {
                return from + at;
            }
            from = to;
        }
        return from == expected.length ? -1 : from;
    }

    /** The call has ended. */
    void release() {
        regions.forEach(network.memory()::release);
    }
}
