package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.train.Gradient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The gradients of one step that are added up over ranks: none twice over the same ranks, and no two in the same memory, as with tied weights.
 *
 * <p><b>Threads.</b> Any.
 */
final class ReducedGradients {

    private record Used(String gradient, long to) {}

    private final String place;
    /** The groups over which each gradient has been added up, by its name. */
    private final Map<String, List<ProcessGroup>> groups = new HashMap<>();
    /** The ranges in use, by memory and first byte. Ranges of one memory do not overlap. */
    private final Map<TensorLife, NavigableMap<Long, Used>> used = new HashMap<>();

    /** @param place the step and the rank, for errors */
    ReducedGradients(String place) {
        this.place = place;
    }

    /** A gradient is added up over a group. @throws InvalidCallException if it has been before, over the same ranks */
    synchronized void reduces(String name, ProcessGroup group) {
        if (group.size() == 1) {
            return;
        }
        List<ProcessGroup> before = groups.getOrDefault(name, List.of());
        for (ProcessGroup other : before) {
            if (group.hasMembersOf(other)) {
                throw new InvalidCallException(
                        "a gradient has been reduced over the same ranks before: name=" + name + ", ranks="
                                + group.ranks() + ", " + place
                                + "; take one of the two hooks out, or give it a group of other ranks; a codec goes into the buckets, by BucketOptions.withReducer");
            }
        }
        groups.put(
                name,
                before.isEmpty()
                        ? List.of(group)
                        : Stream.concat(before.stream(), Stream.of(group)).toList());
    }

    /** A gradient arrives, in an event. @throws InvalidCallException if it shares memory with one of another name */
    void add(Gradient gradient) {
        Tensor tensor = gradient.tensor();
        TensorLife life = tensor.life();
        if (life == null || tensor.byteSize() == 0 || life.isFreed()) {
            return;
        }
        long from = tensor.address();
        long to = from + tensor.byteSize();
        NavigableMap<Long, Used> here = used.computeIfAbsent(life, first -> new TreeMap<>());
        Map.Entry<Long, Used> before = here.lowerEntry(to);
        boolean isSame = before != null && before.getValue().gradient.equals(gradient.name());
        if (before != null && before.getValue().to > from && !isSame) {
            throw new InvalidCallException(
                    "two gradients of one step share memory: first=" + before.getValue().gradient
                            + ", second=" + gradient.name() + ", tensor=" + tensor + ", " + place
                            + "; hand shared memory over once, by one name, or give each gradient memory of its own until the step has ended");
        }
        here.put(from, new Used(gradient.name(), to));
    }
}
