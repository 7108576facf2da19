package io.reactivecomm.hook;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The memory of all gradients of one step so far. Two gradients that share memory, as with tied weights, would be reduced twice, or one would contain the
 * other's result.
 *
 * <p><b>Threads.</b> Any.
 */
final class StepMemories {

    private record Used(String gradient, long to) {}

    /** The ranges in use, by memory and first byte. Ranges of one memory do not overlap. */
    private final Map<TensorLife, NavigableMap<Long, Used>> used = new HashMap<>();

    /**
     * Adds the memory of a gradient.
     *
     * @param worldRank this rank, for the error
     * @param step the step and its buckets, for the error
     * @throws InvalidCallException if another gradient of the step shares some of it
     */
    synchronized void add(Gradient gradient, int worldRank, Supplier<String> step) {
        Tensor tensor = gradient.tensor();
        TensorLife life = tensor.life();
        if (life == null || tensor.byteSize() == 0 || life.isFreed()) {
            return;
        }
        long from = tensor.address();
        long to = from + tensor.byteSize();
        NavigableMap<Long, Used> here = used.computeIfAbsent(life, ignored -> new TreeMap<>());
        Map.Entry<Long, Used> before = here.lowerEntry(to);
        if (before != null && before.getValue().to > from) {
            throw new InvalidCallException(
                    "two gradients of one step share memory: first=" + before.getValue().gradient + ", second="
                            + gradient.name()
                            + ", tensor=" + tensor + ", in=" + step.get() + ", rank=" + worldRank
                            + "; hand shared memory over once, by one name, or give each gradient memory of its own until the step has ended");
        }
        here.put(from, new Used(gradient.name(), to));
    }
}
