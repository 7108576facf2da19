package io.reactivecomm.internal.schedule;

import io.reactivecomm.Bits;
import java.util.Locale;
import java.util.Optional;

/** The advice to whoever numbers the ranks of a world, where that costs bytes between hosts. */
public final class LayoutAdvice {

    private static final int MOST_CHARS = 200;

    private LayoutAdvice() {}

    /**
     * {@return a warning, if reductions in rank order move more between hosts than they would with the ranks of each host one after another}
     * Those that are can fold what their host holds and hand on one partial result; of others each operand crosses by itself.
     *
     * @param bits which the world takes: in any order sums go around the hosts however ranks are numbered
     */
    public static Optional<String> of(Layout layout, Bits bits) {
        double factor = directly(layout) / alongHosts(layout);
        if (bits == Bits.ANY_ORDER
                || layout.hosts() == 1
                || layout.mostPerHost() == 1
                || layout.isConsecutive()
                || factor <= 1) {
            return Optional.empty();
        }
        String ranks = layout.toString();
        return Optional.of(
                "ranks of a host do not follow one another, so all-reduces of floating-point numbers move "
                        + String.format(Locale.ROOT, "%.1f", factor) + " times the bytes between hosts: worldSize="
                        + layout.size() + ", hosts="
                        + layout.hosts() + ", ranks by host=" + ranks.substring(0, Math.min(MOST_CHARS, ranks.length()))
                        + (ranks.length() > MOST_CHARS ? "…" : "")
                        + "; number the ranks of each host one after another, or let sums take any order (RCOMM_BITS=any-order)");
    }

    /** In tensors that a host sends: its ranks' operands to the owners on other hosts, and the results of its own. */
    private static double directly(Layout layout) {
        return (layout.mostPerHost() + 1.0) * (layout.hosts() - 1) / layout.hosts();
    }

    /** A partial result to the host after, and where there is one before, a result to that. */
    private static double alongHosts(Layout layout) {
        return layout.hosts() == 2 ? 1 : 2;
    }
}
