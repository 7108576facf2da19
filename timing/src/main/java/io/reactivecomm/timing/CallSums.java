package io.reactivecomm.timing;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.timing.CommsSummary.Known;
import java.util.OptionalLong;

/** The sums over calls of what not every call knows. <b>Threads.</b> Who owns it. */
final class CallSums {

    private final Sum queued = new Sum();
    private final Sum matching = new Sum();
    private final Sum wire = new Sum();
    private final Sum fold = new Sum();
    private final Sum payloadBytes = new Sum();
    private final Sum headerBytes = new Sum();

    /** A total of what is not always known. */
    private static final class Sum {

        private long count;
        private long total;

        void add(OptionalLong value) {
            if (value.isPresent()) {
                count++;
                total += value.getAsLong();
            }
        }

        Known known() {
            return new Known(count, total);
        }
    }

    void add(ObservedCall call) {
        CallPhases phases = call.phases();
        queued.add(phases.queued());
        matching.add(phases.matching());
        wire.add(phases.wire());
        fold.add(phases.fold());
        payloadBytes.add(call.payloadBytes());
        headerBytes.add(call.headerBytes());
    }

    CommsSummary.Phases phases() {
        return new CommsSummary.Phases(queued.known(), matching.known(), wire.known(), fold.known());
    }

    Known payloadBytes() {
        return payloadBytes.known();
    }

    Known headerBytes() {
        return headerBytes.known();
    }
}
