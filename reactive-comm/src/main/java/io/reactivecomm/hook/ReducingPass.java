package io.reactivecomm.hook;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The gradients of one step on their way through one operator that reduces them over a group: each gradient once over the same ranks.
 *
 * <pre>
 *   backward pass ─&gt; hook A over {0, 1} ─&gt; hook B over {0, 2} ─&gt; buckets C over {0, 1} ─&gt; subscriber
 *                          └────────── «w has been reduced» ───────────┘        C refuses w; B has nothing against it
 * </pre>
 *
 * <p>An operator finds those behind it in its subscriber's context. So it does not matter what else lies between them, nor whether gradients are
 * made anew there: they are known by their names. A step that another one runs inside is a step of its own.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ReducingPass {

    private final Object owner;
    private final ProcessGroup group;
    private final @Nullable ReducingPass next;
    /** Those behind it that reduce over the same ranks. */
    private final List<ReducingPass> same = new ArrayList<>();
    /** What operators before it have reduced over its ranks. */
    private final Set<String> reduced = ConcurrentHashMap.newKeySet();

    private ReducingPass(Object owner, ProcessGroup group, @Nullable ReducingPass next) {
        this.owner = owner;
        this.group = group;
        this.next = next;
        for (ReducingPass each = next; each != null; each = each.next) {
            // Alone nothing is added up, however often.
            if (group.size() > 1 && each.group.hasMembersOf(group)) {
                same.add(each);
            }
        }
    }

    /**
     * {@return the gradients that come out of an operator, cold}
     *
     * @param owner what is recognised if it comes twice on one way
     * @param operator reduces what {@link #enter enters}
     */
    public static Flux<Gradient> over(Object owner, ProcessGroup group, Function<ReducingPass, Flux<Gradient>> operator) {
        return Flux.deferContextual(context -> {
            ReducingPass pass = new ReducingPass(owner, group, behind(context));
            return operator.apply(pass).contextWrite(before -> before.put(ReducingPass.class, pass));
        });
    }

    private static @Nullable ReducingPass behind(ContextView context) {
        return context.getOrDefault(ReducingPass.class, null);
    }

    /** {@return the context of a step that is one of its own, wherever it is run} */
    static Context apart(Context context) {
        return context.delete(ReducingPass.class);
    }

    /** {@return whether the owner is also behind this on the same way} */
    public boolean comesAgain() {
        for (ReducingPass each = next; each != null; each = each.next) {
            if (each.owner == owner) {
                return true;
            }
        }
        return false;
    }

    /**
     * A gradient is about to be reduced.
     *
     * @throws InvalidCallException if it has been reduced over the same ranks
     */
    public void enter(Gradient gradient) {
        if (reduced.contains(gradient.name())) {
            throw refusal("a gradient has been reduced over the same ranks before: name=" + gradient.name());
        }
        same.forEach(each -> each.reduced.add(gradient.name()));
    }

    /** {@return the error of what would be reduced twice} */
    public InvalidCallException refusal(String what) {
        return new InvalidCallException(what + ", ranks=" + group.ranks() + ", rank=" + group.globalRank(group.rank())
                + "; take one of the hooks or buckets out, or give it a group of other ranks");
    }
}
