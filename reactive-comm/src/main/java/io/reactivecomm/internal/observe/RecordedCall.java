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

/** A place in the {@link FlightRecorder}: enough to describe a call, nothing that holds memory. Written over again and again; owned by the loop. */
public final class RecordedCall {

    @Nullable CallKey key;
    @Nullable Signature signature;
    /** Of a call that its signature does not tell of as a whole: made of numbers, and put into words when somebody asks. */
    @Nullable Supplier<String> words;

    String algorithm = "";
    boolean isOverLinks;
    @Nullable Failure failure;
    List<Integer> missing = List.of();
    private String backend = "";
    private String site = "";
    private long subscribedAt;
    private long endedAt;

    RecordedCall() {}

    /** When it was subscribed to, and when it ended, by the loop's clock. {@return this} */
    public RecordedCall lasted(long from, long until) {
        subscribedAt = from;
        endedAt = until;
        return this;
    }

    /** Who performed it, and where it was assembled, if that is known. {@return this} */
    public RecordedCall by(String performer, String place) {
        backend = performer;
        site = place;
        return this;
    }

    /** Ranks of the world that had not joined when it failed. */
    public void without(List<Integer> ranks) {
        missing = ranks;
    }

    String describe() {
        return what() + (algorithm.isEmpty() ? "" : " by " + algorithm) + (failure != null ? ", which failed" : ", which succeeded");
    }

    private String what() {
        if (words != null) {
            return words.get();
        }
        return signature == null ? "" : signature.describe();
    }

    EndedCall call(CallKey identity, long now) {
        CallRecord call = CallRecords.of(identity, what(), algorithm, site, backend);
        return new EndedCall(call, micros(now - subscribedAt), micros(now - endedAt), CallRecords.of(failure), missing);
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }
}
