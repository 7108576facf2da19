package io.reactivecomm.internal.group;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.engine.GroupState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects the calls of a coalesced one. Owned by the thread that coalesces. */
final class Scope extends Calling<CoalesceScope> implements CoalesceScope {

    private final GroupState group;
    private final List<Collective> calls = new ArrayList<>();
    private boolean isOver;

    private Scope(GroupState group) {
        this.group = group;
    }

    /**
     * {@return the calls that a program makes, as one}
     *
     * @throws InvalidCallException if there is no program
     */
    static Coalesced of(@Nullable Consumer<? super CoalesceScope> program, GroupState group) {
        if (program == null) {
            throw new InvalidCallException(
                    "a scope got nothing that makes its calls: calls=null; pass a function that makes them");
        }
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
        requireOpen();
        calls.add(call.get().checkedFor(group.rank(), group.size()));
        return this;
    }

    @Override
    public CoalesceScope send(Tensor tensor, int peer, int tag) {
        return message(() -> new Send(tensor, peer, tag));
    }

    @Override
    public CoalesceScope receive(Tensor tensor, int peer, int tag) {
        return message(() -> new Receive(tensor, peer, tag));
    }

    /** The scope checks them together: what a rank sends itself, it receives. */
    private CoalesceScope message(Supplier<Collective> call) {
        requireOpen();
        calls.add(call.get());
        return this;
    }

    private void requireOpen() {
        if (isOver) {
            throw new IllegalStateException("a call came after its scope had ended: rank=" + group.rank() + ", calls="
                    + calls.size() + "; make it inside the scope, or in the group");
        }
    }
}
