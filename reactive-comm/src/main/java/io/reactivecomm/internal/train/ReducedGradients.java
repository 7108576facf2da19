package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLife;
import io.reactivecomm.train.Gradient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The gradients of one step that are added up over ranks: none twice over the same ranks, and no two in the same memory, as with tied weights.
 *
 * <p><b>Threads.</b> Any.
 */
final class ReducedGradients {

    /** A range in use. Those of one memory do not overlap, so in their order two that do are equal. */
    private record Used(String gradient, long from, long to) implements Comparable<Used> {

        @Override
        public int compareTo(Used other) {
            return to <= other.from ? -1 : from >= other.to ? 1 : 0;
        }
    }

    private final String place;
    /** The group over which each gradient has been added up first, by its name. */
    private final Map<String, ProcessGroup> groups = new HashMap<>();
    /** The other groups, for those that were added up several times. */
    private final Map<String, List<ProcessGroup>> more = new HashMap<>();
    /** The first range in use of each memory. */
    private final Map<TensorLife, Used> used = new HashMap<>();
    /** All ranges of a memory that has several. */
    private final Map<TensorLife, NavigableSet<Used>> several = new HashMap<>();

    /** @param place the step and the rank, for errors */
    ReducedGradients(String place) {
        this.place = place;
    }

    /** A gradient is added up over a group. @throws InvalidCallException if it has been before, over the same ranks */
    synchronized void reduces(String name, ProcessGroup group) {
        if (group.size() == 1) {
            return;
        }
        ProcessGroup first = groups.putIfAbsent(name, group);
        if (first != null) {
            List<ProcessGroup> others = more.computeIfAbsent(name, none -> new ArrayList<>(List.of(first)));
            if (others.stream().anyMatch(group::hasMembersOf)) {
                throw new InvalidCallException(
                        "a gradient has been reduced over the same ranks before: name=" + name + ", ranks="
                                + group.ranks() + ", " + place
                                + "; take one of the two hooks out, or give it a group of other ranks; a codec goes into the buckets, by BucketOptions.withReducer");
            }
            others.add(group);
        }
    }

    /** A gradient arrives, in an event. @throws InvalidCallException if it shares memory with one of another name */
    void add(Gradient gradient) {
        Tensor tensor = gradient.tensor();
        TensorLife life = tensor.life();
        if (life == null || tensor.byteSize() == 0 || life.isFreed()) {
            return;
        }
        long from = tensor.address();
        Used made = new Used(gradient.name(), from, from + tensor.byteSize());
        Used first = used.putIfAbsent(life, made);
        if (first == null) {
            return;
        }
        NavigableSet<Used> here = several.computeIfAbsent(life, none -> new TreeSet<>());
        if (here.isEmpty()) {
            here.add(first);
        }
        Used other = here.add(made) ? null : here.floor(made);
        if (other != null && !other.gradient.equals(made.gradient)) {
            throw new InvalidCallException(
                    "two gradients of one step share memory: first=" + other.gradient + ", second=" + made.gradient
                            + ", tensor=" + tensor + ", " + place
                            + "; hand shared memory over once, by one name, or give each gradient memory of its own until the step has ended");
        }
    }
}
