package io.reactivecomm.backend;

import io.reactivecomm.testkit.group.CompositeContract;
import org.junit.jupiter.api.Tag;

/** Composite calls over an engine that refuses any disorder. Messages and streams in them are in {@link StrictCompositeMessageTest}. */
@Tag("repeated")
class StrictCompositeTest extends CompositeContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
