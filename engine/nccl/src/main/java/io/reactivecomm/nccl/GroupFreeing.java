package io.reactivecomm.nccl;

import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The freeing of a group in its turn: behind all its calls, beside those of others.
 *
 * @param remove takes the group from those that are open
 */
record GroupFreeing(Turn.Freeing turn, LaunchContext context, Function<EngineGroup, @Nullable NcclGroup> remove)
        implements LaunchQueue.Item {

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void launch() {
        NcclGroup group = remove.apply(turn.group());
        if (group == null) {
            turn.sink().done();
        } else {
            context.memory().forget(group);
            context.stream().aside("free", () -> {
                group.leave();
                turn.sink().done();
            });
        }
    }
}
