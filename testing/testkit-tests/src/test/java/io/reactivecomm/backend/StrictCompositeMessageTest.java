package io.reactivecomm.backend;

import io.reactivecomm.testkit.group.CompositeMessageContract;
import org.junit.jupiter.api.Tag;

/** Messages in composite calls over an engine that refuses any disorder. */
@Tag("repeated")
class StrictCompositeMessageTest extends CompositeMessageContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
