package io.reactivecomm.internal.observe;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last calls that ended on this rank and what they were, for ranks that ask. A ring that is written at every call's end and read only
 * where something is wrong, so it is looked through from end to end. Owned by the loop.
 */
public final class FlightRecorder {

    /** As many as torch's flight recorder of a usual size keeps: several training steps' worth. */
    private static final int KEPT = 1024;

    private final RecordedCall[] ring = new RecordedCall[KEPT];
    /** The scopes in the ring that succeeded: found without looking through it, since peers may open them in good order. */
    private final Set<CallKey> scopes = new HashSet<>();
    private int next;

    public FlightRecorder() {
        for (int i = 0; i < KEPT; i++) {
            ring[i] = new RecordedCall();
        }
    }

    /** A record of a call: enough to describe it, nothing that holds memory. Written over again and again. */
    private static final class RecordedCall {

        private @Nullable CallKey key;
        private @Nullable Signature signature;
        /** Of a call that its signature does not tell of as a whole: made of numbers, and put into words when somebody asks. */
        private @Nullable Supplier<String> parts;

        private String algorithm = "";
        private boolean failed;

        private String describe() {
            String what = parts != null ? parts.get() : signature == null ? "" : signature.describe();
            return what + (algorithm.isEmpty() ? "" : " by " + algorithm) + (failed ? ", which failed" : ", which succeeded");
        }
    }

    /**
     * A call has ended.
     *
     * @param parts its words, made of numbers, if its signature does not tell of it as a whole; else null
     * @param algorithm the schedule, or empty if the other ranks know none
     */
    public void ended(CallKey key, Signature signature, @Nullable Supplier<String> parts, String algorithm, boolean failed) {
        RecordedCall entry = ring[next];
        if (entry.key != null && !scopes.isEmpty()) {
            scopes.remove(entry.key);
        }
        if (signature.operation() == Operation.COALESCED && !failed) {
            scopes.add(key);
        }
        next = (next + 1) % KEPT;
        entry.key = key;
        entry.signature = signature;
        entry.parts = parts;
        entry.algorithm = algorithm;
        entry.failed = failed;
    }

    /**
     * {@return whether a scope of that identity has succeeded on this rank}
     * It had opened to all with whom it exchanged anything, and they to it. So a rank that opens it now means messages that this one does not know.
     */
    public boolean hasScope(CallKey key) {
        return scopes.contains(key);
    }

    /** {@return what the call was and how it ended, or an empty text if it is not known} */
    public String describe(CallKey key) {
        for (int age = 1; age <= KEPT; age++) {
            RecordedCall entry = ring[Math.floorMod(next - age, KEPT)];
            if (key.equals(entry.key)) {
                return entry.describe();
            }
        }
        return "";
    }
}
