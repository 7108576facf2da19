package io.reactivecomm.internal.observe;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last calls that ended on this rank and what they were, for ranks that ask and for dumps. A ring that is written at every call's end and read only
 * where something is wrong, so it is looked through from end to end. Calls under way are not in it: the engine has those. Owned by the loop; where that does
 * not turn, others may read what it has left.
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

    /**
     * A call of the engine over links has ended.
     *
     * @param parts its words, made of numbers, if its signature does not tell of it as a whole; else null
     * @param algorithm the schedule, or empty if the other ranks know none
     * @param failure why it failed, or null
     * @return its record, for what else is known of it
     */
    public RecordedCall ended(
            CallKey key,
            Signature signature,
            @Nullable Supplier<String> parts,
            String algorithm,
            @Nullable Failure failure) {
        RecordedCall entry = next();
        if (signature.operation() == Operation.COALESCED && failure == null) {
            scopes.add(key);
        }
        entry.overLinks(key, signature, parts, algorithm, failure);
        return entry;
    }

    /**
     * A call has ended that is none of the engine's over links. Only dumps tell of it.
     *
     * @param words what it was, made of numbers and names
     * @param failure why it failed, or null
     */
    public RecordedCall endedBeside(CallKey key, Supplier<String> words, @Nullable Failure failure) {
        RecordedCall entry = next();
        entry.beside(key, words, failure);
        return entry;
    }

    private RecordedCall next() {
        RecordedCall entry = ring[next];
        if (entry.key() != null && !scopes.isEmpty()) {
            scopes.remove(entry.key());
        }
        next = next + 1 == KEPT ? 0 : next + 1;
        return entry;
    }

    /**
     * {@return whether a scope of that identity has succeeded on this rank}
     * It had opened to all with whom it exchanged anything, and they to it. So a rank that opens it now means messages that this one does not know.
     */
    public boolean hasScope(CallKey key) {
        return scopes.contains(key);
    }

    /** {@return what the call was and how it ended, or an empty text if it is not known, or was none over links} */
    public String describe(CallKey key) {
        for (int age = 1; age <= KEPT; age++) {
            RecordedCall entry = ring[Math.floorMod(next - age, KEPT)];
            if (entry.isOverLinks() && key.equals(entry.key())) {
                return entry.describe();
            }
        }
        return "";
    }

    /** {@return the calls in the order of their ends} @param now the loop's time */
    public List<EndedCall> calls(long now) {
        List<EndedCall> all = new ArrayList<>();
        int oldest = next;
        for (int i = 0; i < KEPT; i++) {
            RecordedCall entry = ring[(oldest + i) % KEPT];
            CallKey key = entry.key();
            if (key != null) {
                entry.addTo(all, key, now);
            }
        }
        return all;
    }
}
