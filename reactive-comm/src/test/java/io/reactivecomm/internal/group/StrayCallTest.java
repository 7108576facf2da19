package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;

/** Calls of a body that are no part of its composite call, because they are made through the group itself. */
class StrayCallTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(Assembler.class);

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(log);
    }

    @Test
    void callOnTheOuterGroup_isWarnedOfOnce() {
        try (LocalWorld world = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();
            for (int i = 0; i < 3; i++) {
                group.composite("stray")
                        .mono(inside -> inside.barrier().flatMap(work -> group.barrier()))
                        .block(LIMIT);
            }
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement()
                .asString()
                .contains("is no part of it: composite=#0, rank=0");
    }

    @Test
    void callsThroughTheView_andOutsideOfBodies_areNotWarnedOf() {
        try (LocalWorld world = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();
            group.composite("sound")
                    .mono(inside -> inside.barrier().flatMap(work -> inside.barrier()))
                    .then(group.barrier())
                    .block(LIMIT);
            group.barrier().block(LIMIT);
        }
        assertThat(log.list).isEmpty();
    }

    /** A framework makes calls of its own as it takes gradients back, on the loop. */
    @Test
    void callOnAHooksGroup_asAGradientIsTakenBack_isNotWarnedOf() {
        try (LocalWorld world = ReactiveComm.local(1);
                Tensor tensor = Tensor.of(new float[1])) {
            ProcessGroup group = world.groups().getFirst();
            Flux.just(new Gradient("w", tensor))
                    .transform(GradientHooks.of(ParallelHooks.dataParallel(group)))
                    .flatMap(gradient -> group.barrier())
                    .blockLast(LIMIT);
        }
        assertThat(log.list).isEmpty();
    }
}
