package io.reactivecomm.engine;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last calls that ended on this rank and what they were, for ranks that ask. Owned by the loop. */
final class FlightRecorder {

    /** As many as torch's flight recorder of a usual size keeps: several training steps' worth. */
    private static final int KEPT = 1024;

    private final Map<CallKey, Entry> ended = new LinkedHashMap<>();

    /** What is kept of a call: enough to describe it, nothing that holds memory. */
    private record Entry(Signature signature, @Nullable String parts, String algorithm, boolean failed) {

        String describe() {
            return (parts == null ? signature.describe() : parts) + (algorithm.isEmpty() ? "" : " by " + algorithm) + (failed ? ", which failed" : ", which succeeded");
        }
    }

    void ended(CallKey key, Call call) {
        Signature signature = call.signature();
        boolean hasParts = signature.count() == Signature.UNEVEN || signature.cut() != 0;
        String algorithm = key instanceof CallKey.Ticket ? call.algorithm() : "";
        ended.put(key, new Entry(signature, hasParts ? call.collective().describe() : null, algorithm, call.failure() != null));
        if (ended.size() > KEPT) {
            ended.remove(ended.keySet().iterator().next());
        }
    }

    /** {@return what the call was and how it ended, or an empty text if it is not known} */
    String describe(CallKey key) {
        Entry entry = ended.get(key);
        return entry == null ? "" : entry.describe();
    }
}
