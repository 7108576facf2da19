package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that wait for room in a peer's window. */
class WindowWishesTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int YOUNGER = 20;

    private final EngineWorld world = new EngineWorld(2, EngineLimits.DEFAULT, 1);
    private final Tensor sent = Tensor.allocate(DType.INT32, EngineLimits.DEFAULT.windowBytes());
    private final List<Tensor> taken = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
        sent.close();
        taken.forEach(Tensor::close);
    }

    /** From rank 1 to rank 0. {@return the end on rank 0} */
    private EngineWorld.End broadcast(String name, Duration timeout) {
        Tensor target = Tensor.allocate(DType.INT32, sent.count());
        taken.add(target);
        world.collective(1, name, new Broadcast(sent, 1), timeout);
        return world.collective(0, name, new Broadcast(target, 1), timeout);
    }

    private int waiting() {
        return world.engines.getFirst().waitingEdges(1);
    }

    /** An older call has the whole window and its bytes do not come: those behind it are not looked at, and not kept either. */
    @Test
    void callsThatFail_whileAnotherHasTheWindow_areLetGoOf() {
        world.link(0, 1).hold(true);
        EngineWorld.End older = broadcast("older", LONG);
        List<EngineWorld.End> younger = new ArrayList<>();
        for (int i = 0; i < YOUNGER; i++) {
            younger.add(broadcast("younger" + i, SHORT));
        }
        world.settle();
        assertThat(waiting()).isEqualTo(1 + YOUNGER);

        world.pass(Duration.ofSeconds(2));

        assertThat(younger).allSatisfy(end -> assertThat(end.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT));
        assertThat(waiting()).isEqualTo(1);
        world.link(0, 1).hold(false);
        world.settle();
        assertThat(older.work).isNotNull();
    }
}
