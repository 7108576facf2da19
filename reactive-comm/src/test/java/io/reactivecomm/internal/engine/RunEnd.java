package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.Failure;
import org.jspecify.annotations.Nullable;

/** The end of a composite call's run as a rank hears of it: each part at most once. */
class RunEnd implements Composite.Sink {

    boolean ended;

    @Nullable Failure stopped;

    @Nullable Failure failure;

    @Override
    public void left(@Nullable Failure cause) {}

    @Override
    public void stopped(Failure cause) {
        assertThat(stopped).isNull();
        stopped = cause;
    }

    @Override
    public void ended(@Nullable Failure cause) {
        assertThat(ended).isFalse();
        ended = true;
        failure = cause;
    }
}
