package io.reactivecomm.backend;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.CompositeContract;
import java.util.List;

/**
 * Composite calls over an engine that refuses any disorder. Messages and streams in them are not among the cases: an ordered engine performs no
 * messages yet.
 */
class StrictCompositeTest extends CompositeContract {

    @Override
    public World open(int size) {
        return new Ranks(StrictWorlds.world(size));
    }

    /** The ranks of one. */
    private record Ranks(LocalWorld world) implements World {

        @Override
        public List<ProcessGroup> groups() {
            return world.groups();
        }

        @Override
        public void close() {
            world.close();
        }
    }
}
