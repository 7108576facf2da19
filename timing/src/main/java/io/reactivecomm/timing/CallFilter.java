package io.reactivecomm.timing;

import io.reactivecomm.observe.ObservedCall;
import java.util.Set;

/**
 * The choice of calls that a logger records.
 *
 * <p><b>Threads.</b> Any. <b>Cost.</b> No allocation.
 */
final class CallFilter {

    private final boolean areAllOperations;
    private final boolean areComposites;
    private final Set<String> operations;
    /** Of calls that are taken whatever their operation is. */
    private final NamePattern[] named;

    private final NamePattern[] names;

    CallFilter(CommsLoggerOptions options) {
        this.areAllOperations = options.allOperations();
        this.areComposites = options.operations().contains(OperationWords.COMPOSITE);
        this.operations = Set.copyOf(options.operations());
        this.named = options.operations().stream()
                .filter(each -> each.startsWith(OperationWords.NAMED))
                .map(each -> new NamePattern(each.substring(OperationWords.NAMED.length())))
                .toArray(NamePattern[]::new);
        this.names = options.names().stream().map(NamePattern::new).toArray(NamePattern[]::new);
    }

    boolean takes(ObservedCall call) {
        return takesOperation(call) && takesName(call);
    }

    private boolean takesOperation(ObservedCall call) {
        return areAllOperations
                || operations.contains(call.operation())
                || areComposites && call.isComposite()
                || isAmong(named, call);
    }

    private boolean takesName(ObservedCall call) {
        return names.length == 0 || isAmong(names, call);
    }

    private static boolean isAmong(NamePattern[] patterns, ObservedCall call) {
        for (NamePattern pattern : patterns) {
            if (pattern.matches(call.name())) {
                return true;
            }
        }
        return false;
    }
}
