package io.reactivecomm.backend;

import io.reactivecomm.device.Handle;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EnginePoll;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The strict double as a library that has to be asked for the ends of its requests: they are found on the rank's loop, as MPI's are. */
public final class PolledProvider implements EngineProvider {

    @Override
    public String name() {
        return "polled";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return context.control()
                .broadcastObject(UUID.randomUUID().toString(), 0, String.class)
                .map(world -> new StrictEngine(
                        StrictMeeting.of(world), context.control().rank(), Formation.NOBODY))
                .map(strict -> SequencedEngine.of(name(), context.control(), new PolledEngine(strict, context)));
    }

    private static final class PolledEngine implements OrderedEngine {

        private final OrderedEngine library;
        private final EnginePoll poll;
        private final AtomicInteger pending = new AtomicInteger();
        private final Queue<Runnable> ends = new ConcurrentLinkedQueue<>();

        private PolledEngine(OrderedEngine library, EngineContext context) {
            this.library = library;
            this.poll = new EnginePoll(context.loop(), this::look);
        }

        /** One end at a look: more would hold the loop. */
        private EnginePoll.Found look() {
            Runnable end = ends.poll();
            if (end == null) {
                return pending.get() == 0 ? EnginePoll.Found.NO_MORE : EnginePoll.Found.NOTHING;
            }
            end.run();
            return pending.decrementAndGet() == 0 ? EnginePoll.Found.NO_MORE : EnginePoll.Found.SOMETHING;
        }

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            return library.refusal(group, kind);
        }

        @Override
        public void run(List<Turn> batch) {
            pending.addAndGet(batch.size());
            library.run(batch.stream().map(this::polled).toList());
            poll.begun();
        }

        private Turn polled(Turn turn) {
            if (turn instanceof Turn.Call call) {
                return new Turn.Call(call.call(), new Found(call.sink()));
            }
            throw new IllegalStateException("nobody forms groups here: " + turn);
        }

        @Override
        public void abandonGroup(EngineGroup group, Failure cause) {
            library.abandonGroup(group, cause);
        }

        @Override
        public void closeGroup(EngineGroup group) {
            library.closeGroup(group);
        }

        /** The loop's last turns may be over: what has ended by then is told here. */
        @Override
        public void close() {
            library.close();
            for (Runnable end = ends.poll(); end != null; end = ends.poll()) {
                end.run();
            }
        }

        private final class Found implements CollectiveEngine.Sink {

            private final CollectiveEngine.Sink sink;

            private Found(CollectiveEngine.Sink sink) {
                this.sink = sink;
            }

            @Override
            public void succeeded(Completion completion) {
                ends.add(() -> sink.succeeded(completion));
            }

            @Override
            public void failed(Failure failure, Handle hands) {
                ends.add(() -> sink.failed(failure, hands));
            }

            @Override
            public void runFailed(CallKey.Ticket run, Failure failure) {
                ends.add(() -> sink.runFailed(run, failure));
            }
        }
    }
}
