package io.reactivecomm.internal.transfer;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A queue by priority: the greatest first, and among equals first come, first served. Owned by the loop. */
final class ByPriority<T> {

    /** Of priority 0, as nearly all are. */
    private final ArrayDeque<T> usual = new ArrayDeque<>();

    private final TreeMap<Integer, ArrayDeque<T>> others = new TreeMap<>(Comparator.reverseOrder());

    boolean isEmpty() {
        return usual.isEmpty() && others.isEmpty();
    }

    void add(T next, int priority) {
        (priority == 0 ? usual : others.computeIfAbsent(priority, ignored -> new ArrayDeque<>())).add(next);
    }

    private boolean isUsualFirst() {
        return others.isEmpty() || (!usual.isEmpty() && others.firstKey() < 0);
    }

    /** {@return the first} */
    T element() {
        return (isUsualFirst() ? usual : others.firstEntry().getValue()).element();
    }

    /** {@return the first, which waits no more} */
    T remove() {
        if (isUsualFirst()) {
            return usual.remove();
        }
        ArrayDeque<T> line = others.firstEntry().getValue();
        T next = line.remove();
        if (line.isEmpty()) {
            others.pollFirstEntry();
        }
        return next;
    }

    void removeIf(Predicate<T> gone) {
        usual.removeIf(gone);
        others.values().removeIf(line -> {
            line.removeIf(gone);
            return line.isEmpty();
        });
    }

    void forEach(Consumer<T> each) {
        usual.forEach(each);
        others.values().forEach(line -> line.forEach(each));
    }

    void clear() {
        usual.clear();
        others.clear();
    }
}
