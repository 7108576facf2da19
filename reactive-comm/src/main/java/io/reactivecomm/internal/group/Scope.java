package io.reactivecomm.internal.group;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.engine.GroupState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Collects the calls of a coalesced one. Owned by the thread that coalesces. */
final class Scope extends Calling<CoalesceScope> implements CoalesceScope {

    private final GroupState group;
    private final List<Collective> calls = new ArrayList<>();
    private boolean isOver;

    private Scope(GroupState group) {
        this.group = group;
    }

    /** {@return the calls that a program makes, as one} */
    static Coalesced of(Consumer<? super CoalesceScope> program, GroupState group) {
        Scope scope = new Scope(group);
        try {
            program.accept(scope);
        } finally {
            scope.isOver = true;
        }
        return new Coalesced(scope.calls);
    }

    @Override
    CoalesceScope call(Supplier<Collective> call) {
        if (isOver) {
            throw new IllegalStateException("a call came after its scope had ended: rank=" + group.rank() + ", calls=" + calls.size()
                    + "; make it inside the scope, or in the group");
        }
        calls.add(call.get().checkedFor(group.rank(), group.size()));
        return this;
    }
}
