package io.reactivecomm.internal.observe;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A place in the {@link FlightRecorder}: enough to describe a call, nothing that holds memory. Written over again and again; owned by the loop.
 *
 * <p>What is nearly always as before, such as that it has not failed, is only written where it is not: a reference that is written costs the collector's
 * barrier, ten times as much as one that is looked at.
 */
public final class RecordedCall {

    private @Nullable CallKey key;
    private @Nullable Signature signature;
    /** Of a call that its signature does not tell of as a whole: made of numbers, and put into words when somebody asks. */
    private @Nullable Supplier<String> words;

    private String algorithm = "";
    private boolean isOverLinks;
    private @Nullable Failure failure;
    private List<Integer> missing = List.of();
    private String backend = "";
    private String site = "";
    private long subscribedAt;
    private long endedAt;

    RecordedCall() {}

    void overLinks(
            CallKey identity,
            Signature shape,
            @Nullable Supplier<String> parts,
            String schedule,
            @Nullable Failure cause) {
        begin(identity, parts, schedule, cause);
        isOverLinks = true;
        if (isOther(signature, shape)) {
            signature = shape;
        }
    }

    void beside(CallKey identity, Supplier<String> what, @Nullable Failure cause) {
        begin(identity, what, "", cause);
        isOverLinks = false;
        signature = null;
    }

    private void begin(CallKey identity, @Nullable Supplier<String> what, String schedule, @Nullable Failure cause) {
        key = identity;
        if (isOther(words, what)) {
            words = what;
        }
        if (isOther(algorithm, schedule)) {
            algorithm = schedule;
        }
        if (isOther(failure, cause)) {
            failure = cause;
        }
        if (!missing.isEmpty()) {
            missing = List.of();
        }
    }

    private static boolean isOther(@Nullable Object one, @Nullable Object other) {
        return one != other;
    }

    @Nullable CallKey key() {
        return key;
    }

    boolean isOverLinks() {
        return isOverLinks;
    }

    /** When it was subscribed to, and when it ended, by the loop's clock. {@return this} */
    public RecordedCall lasted(long from, long until) {
        subscribedAt = from;
        endedAt = until;
        return this;
    }

    /** Who performed it, and where it was assembled, if that is known. {@return this} */
    public RecordedCall by(String performer, String place) {
        if (isOther(backend, performer)) {
            backend = performer;
        }
        if (isOther(site, place)) {
            site = place;
        }
        return this;
    }

    /** Ranks of the world that had not joined when it failed. */
    public void without(List<Integer> ranks) {
        missing = ranks;
    }

    String describe() {
        return what()
                + (algorithm.isEmpty() ? "" : " by " + algorithm)
                + (failure != null ? ", which failed" : ", which succeeded");
    }

    private String what() {
        if (words != null) {
            return words.get();
        }
        return signature == null ? "" : signature.describe();
    }

    void addTo(List<EndedCall> all, CallKey identity, long now) {
        CallRecord call = CallRecords.of(identity, what(), algorithm, site, backend);
        long from = micros(now - subscribedAt);
        long until = micros(now - endedAt);
        Failure cause = failure;
        if (cause == null) {
            all.add(new EndedCall(call, from, until, null, missing));
        } else {
            all.add(new EndedCall(call, from, until, CallRecords.of(cause), missing));
        }
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }
}
