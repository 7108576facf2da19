package io.reactivecomm.timing;

import io.reactivecomm.ObserverProvider;
import io.reactivecomm.observe.CommObserver;
import java.util.Map;
import java.util.Optional;

/** The maker of the logger that RCOMM_COMMS_LOG asks for. */
public final class CommsLoggerProvider implements ObserverProvider {

    @Override
    public Optional<CommObserver> observer(Map<String, String> environment) {
        return CommsLoggerOptions.fromEnvironment(environment)
                .map(options -> CommsLogger.printing(options, table -> System.err.print(table)));
    }
}
