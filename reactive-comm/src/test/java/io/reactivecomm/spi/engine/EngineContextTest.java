package io.reactivecomm.spi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class EngineContextTest {

    /** Reactor would throw it at whoever completes the step before, and nobody would hear of it. */
    @Test
    void classThatIsMissing_isAnErrorOfTheAttempt() {
        ProcessGroup control = (ProcessGroup) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ProcessGroup.class}, (self, method, arguments) -> {
                    throw new NoClassDefFoundError("planted");
                });
        EngineContext context = new EngineContext(
                control, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT), List.of("host"), null);
        StepVerifier.create(Mono.just(1).flatMap(each -> context.agree(each, Integer.class)))
                .verifyErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContaining("planted"));
    }
}
