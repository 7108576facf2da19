package io.reactivecomm.internal.stream;

import io.reactivecomm.ProcessGroup;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** The number of things that a rank's engine holds, which no program needs to know. */
record EngineState(int liveCalls, int waitingMessages, int parkedOpenings) {

    static final EngineState EMPTY = new EngineState(0, 0, 0);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Rounds after which what is on its way has long arrived. */
    private static final int MOST_ROUNDS = 1_000;

    private static EngineState of(ProcessGroup group) {
        try {
            Object driver = call(field(group, "assembler"), "driver");
            Object engine = field(driver, "engine");
            CompletableFuture<EngineState> state = new CompletableFuture<>();
            ((Executor) call(driver, "loop")).execute(() -> state.complete(read(engine)));
            return state.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the engine has another shape now", e);
        }
    }

    private static EngineState read(Object engine) {
        try {
            return new EngineState((int) call(engine, "liveCalls"), (int) call(engine, "waitingMessages"), (int)
                    call(engine, "parkedOpenings"));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the engine has another shape now", e);
        }
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    private static Object call(Object owner, String name) throws ReflectiveOperationException {
        Method method = owner.getClass().getDeclaredMethod(name);
        method.setAccessible(true);
        return method.invoke(owner);
    }

    /** {@return what the ranks' engines hold once they hold no less, or after many rounds through all ranks} */
    static List<EngineState> settled(List<ProcessGroup> groups) {
        List<EngineState> states = List.of();
        for (int round = 0;
                round < MOST_ROUNDS && !states.stream().allMatch(EMPTY::equals) || states.isEmpty();
                round++) {
            Mono.when(groups.stream().map(ProcessGroup::barrier).toList()).block(LIMIT);
            states = groups.stream().map(EngineState::of).toList();
        }
        return states;
    }
}
