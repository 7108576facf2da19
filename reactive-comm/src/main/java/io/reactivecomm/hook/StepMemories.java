package io.reactivecomm.hook;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The memory of all gradients that have come in one step. A second gradient over some of it, such as a tensor that two layers share, would be reduced twice, or have
 * the other's result in it.
 *
 * <p><b>Threads.</b> Any.
 */
final class StepMemories {

    private record Used(String gradient, long to) {}

    /** What is used of each memory, by the first byte. Ranges of one memory do not overlap. */
    private final Map<TensorLife, NavigableMap<Long, Used>> used = new HashMap<>();

    /**
     * Adds a gradient's.
     *
     * @param worldRank this rank, for the error
     * @throws InvalidCallException if another one has some of it
     */
    synchronized void add(Gradient gradient, int worldRank) {
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
            throw new InvalidCallException("two gradients of one step share memory: first=" + before.getValue().gradient + ", second=" + gradient.name()
                    + ", tensor=" + tensor + ", rank=" + worldRank
                    + "; hand shared memory over once, by one name, or give each gradient memory of its own until the step has ended");
        }
        here.put(from, new Used(gradient.name(), to));
    }
}
