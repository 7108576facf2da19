package io.reactivecomm.backend;

import io.reactivecomm.testkit.stream.MessageContract;
import org.junit.jupiter.api.Tag;

/** Messages over an engine that refuses any disorder. */
@Tag("repeated")
class StrictMessageTest extends MessageContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
