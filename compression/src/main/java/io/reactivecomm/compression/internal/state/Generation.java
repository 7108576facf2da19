package io.reactivecomm.compression.internal.state;

import io.reactivecomm.Tensor;
import java.util.List;

/**
 * The state of one name after a step, or memory for it.
 *
 * @param step how many steps have gone well
 * @param adapted the numbers of the next step that have adapted, such as a codec's
 * @param kept the tensors that one step leaves to the next, by their places in the {@link StateShape}
 */
public record Generation(long step, double[] adapted, List<Tensor> kept) {

    /** {@return memory of zeros} */
    public static Generation zeros(StateShape shape, long step, double[] adapted) {
        return new Generation(step, adapted, shape.kept().stream().map(each -> Tensor.allocate(each.type(), each.count())).toList());
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

    public void close() {
        kept.forEach(Tensor::close);
    }
}
