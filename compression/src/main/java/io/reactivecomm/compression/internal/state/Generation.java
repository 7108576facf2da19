package io.reactivecomm.compression.internal.state;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The state of one name after a step, or memory for it.
 *
 * @param step how many steps have gone well
 * @param adapted the numbers of the next step that have adapted, such as a codec's
 * @param kept the tensors that one step leaves to the next, by their places in the {@link StateShape}
 */
public record Generation(long step, double[] adapted, List<Tensor> kept) {

    /** {@return memory of zeros, twice: both or, where there is too little, none} */
    static List<Generation> two(StateShape shape, StateHome home, long step, double[] adapted) {
        List<Tensor> allocated = new ArrayList<>();
        try {
            for (StateShape.Kept each : shape.kept()) {
                allocated.add(home.allocate(each.type(), each.count()));
                allocated.add(home.allocate(each.type(), each.count()));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            allocated.forEach(Tensor::close);
            throw e;
        }
        return IntStream.range(0, 2)
                .mapToObj(which -> new Generation(step, adapted, everySecond(allocated, which)))
                .toList();
    }

    private static List<Tensor> everySecond(List<Tensor> tensors, int first) {
        return IntStream.iterate(first, i -> i < tensors.size(), i -> i + 2)
                .mapToObj(tensors::get)
                .toList();
    }

    /** {@return the tensor at that place} */
    public Tensor kept(int place) {
        return kept.get(place);
    }

    public Generation at(long other, double[] numbers) {
        return new Generation(other, numbers, kept);
    }

    public Generation withKeptOf(Generation other) {
        return new Generation(step, adapted, other.kept);
    }

    /** {@return the bytes of the tensors, in native order} */
    public List<byte[]> bytes() {
        return kept.stream()
                .map(each -> each.view(DType.INT8, each.byteSize()).toByteArray())
                .toList();
    }

    /** Writes the tensors, which are in that home. @param bytes as {@link #bytes} gave them */
    public void write(List<byte[]> bytes, StateHome home) {
        for (int place = 0; place < bytes.size(); place++) {
            Tensor into = kept.get(place);
            try (Tensor from = Tensor.of(bytes.get(place))) {
                home.move(List.of(Move.copy(from, into.view(DType.INT8, into.byteSize()))));
            }
        }
    }

    /** {@return what copies the tensors into another's of the same shape} */
    Stream<Move> into(Generation other) {
        return IntStream.range(0, kept.size()).mapToObj(place -> Move.copy(kept.get(place), other.kept.get(place)));
    }

    public void close() {
        kept.forEach(Tensor::close);
    }
}
