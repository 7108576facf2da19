package io.reactivecomm.backend;

import io.reactivecomm.testkit.group.CompositeContract;
import io.reactivecomm.testkit.group.CompositeMessageContract;
import io.reactivecomm.testkit.group.StepMessageContract;
import io.reactivecomm.testkit.stream.BatchContract;
import io.reactivecomm.testkit.stream.MessageContract;
import io.reactivecomm.testkit.stream.StreamContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Messages and streams, by themselves and in composite calls, over an ordered engine that carries them and cannot take back its hands. */
@Tag("repeated")
class LateMessageContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    @Nested
    @Tag("thorough")
    class Messages extends MessageContract implements DoubleWorlds.LateMessages {}

    @Nested
    @Tag("thorough")
    class Batches extends BatchContract implements DoubleWorlds.LateMessages {}

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements DoubleWorlds.LateMessages {}

    @Nested
    class MessagesInComposites extends CompositeMessageContract implements DoubleWorlds.LateMessages {}

    @Nested
    @Tag("thorough")
    class MessagesInSteps extends StepMessageContract implements DoubleWorlds.LateMessages {}

    @Nested
    @Tag("thorough")
    class Streams extends StreamContract implements DoubleWorlds.LateMessages {}
}
