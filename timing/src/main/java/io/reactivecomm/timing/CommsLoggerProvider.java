package io.reactivecomm.timing;

import io.reactivecomm.ObserverProvider;
import io.reactivecomm.observe.CommObserver;
import java.util.Map;
import java.util.Optional;

/** The maker of the logger that RCOMM_COMMS_LOG or the {@code comms_logger} block of a DeepSpeed configuration asks for. */
public final class CommsLoggerProvider implements ObserverProvider {

    @Override
    public String variable() {
        return CommsLoggerOptions.VARIABLE;
    }

    @Override
    public Optional<CommObserver> observer(Map<String, String> environment) {
        return CommsLoggerOptions.fromEnvironment(environment)
                .map(options -> CommsLogger.printing(options, table -> System.err.print(table)));
    }

    @Override
    public Optional<CommObserver> deepSpeedObserver(String json) {
        return Optional.of(CommsLoggerOptions.ofDeepSpeed(json))
                .filter(CommsLoggerOptions::enabled)
                .map(CommsLogger::of);
    }
}
