package io.reactivecomm.backend;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.testkit.device.FakeMemory;
import io.reactivecomm.testkit.device.FakeProvider;
import java.util.Set;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** All collectives of the host's tensors and of fake devices', under the eyes of the strict double: {@code checked}. */
public class CheckedProvider implements EngineProvider {

    /** The same as a library that lets go of the tensors of failed calls some time after their end. */
    public static final class Late extends CheckedProvider {

        @Override
        public String name() {
            return "late";
        }

        @Override
        OrderedEngine engine(String world, int size, int rank) {
            return TenaciousEngine.late(super.engine(world, size, rank), rank);
        }
    }

    /** The strict double itself, with messages, as a library that lets go late; the rest is left to links. */
    public static final class LateMessages extends CheckedProvider {

        @Override
        public String name() {
            return "late-messages";
        }

        @Override
        public Set<String> devices() {
            return Set.of("cpu");
        }

        @Override
        OrderedEngine engine(String world, int size, int rank) {
            return TenaciousEngine.late(strict(world, rank), rank);
        }
    }

    @Override
    public String name() {
        return "checked";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu", FakeMemory.KIND);
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        ProcessGroup control = context.control();
        return control.broadcastObject(UUID.randomUUID().toString(), 0, String.class)
                .map(world -> SequencedEngine.of(name(), control, engine(world, control.size(), control.rank())));
    }

    OrderedEngine engine(String world, int size, int rank) {
        return new CheckedEngine(strict(world, rank), FakeProvider.engine(world, size, rank));
    }

    static StrictEngine strict(String world, int rank) {
        return new StrictEngine(StrictMeeting.of(world), rank, Formation.MEMBERS);
    }
}
