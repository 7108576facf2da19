package io.reactivecomm.observability.internal;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The ranks that have not made calls, from the accounts of those that have: the rule of {@code rcomm top} and of the doctor.
 *
 * <p>A rank knows only of ranks that it exchanges something with, which may wait for others in turn. So a rank that another one calls missing, and that has
 * made the call itself, is not missing: the accounts are of different moments.
 *
 * @param <K> the identity of a call
 */
public final class MissingRanks<K> {

    private final Map<K, TreeSet<Integer>> makers = new HashMap<>();
    private final Map<K, TreeSet<Integer>> missed = new HashMap<>();

    /** A rank has made a call. @param missing the ranks that have not, as far as it knows; none if it waits for no rank */
    public void add(K call, int rank, Collection<Integer> missing) {
        makers.computeIfAbsent(call, ignored -> new TreeSet<>()).add(rank);
        missed.computeIfAbsent(call, ignored -> new TreeSet<>()).addAll(missing);
    }

    /** {@return the ranks that have made that call, in order} */
    public List<Integer> makers(K call) {
        return List.copyOf(makers.getOrDefault(call, new TreeSet<>()));
    }

    /** {@return whether a rank waits for that one to make a call that it has not made} */
    public boolean isMissing(K call, int rank) {
        TreeSet<Integer> named = missed.get(call);
        return named != null
                && named.contains(rank)
                && !makers.getOrDefault(call, new TreeSet<>()).contains(rank);
    }

    /** {@return the ranks that have not made that call, in order} */
    public List<Integer> of(K call) {
        TreeSet<Integer> missing = new TreeSet<>(missed.getOrDefault(call, new TreeSet<>()));
        missing.removeAll(makers.getOrDefault(call, new TreeSet<>()));
        return List.copyOf(missing);
    }
}
