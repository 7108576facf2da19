package io.reactivecomm.internal.observe;

import io.reactivecomm.internal.base.StreamName;
import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;

/** Identities and failures as dumps have them. */
public final class CallRecords {

    /** Who performs a composite call: whoever performs what its body calls. */
    public static final String COMPOSITE = "composite";

    private CallRecords() {}

    /** {@return a call} @param backend who performs it, or {@link #COMPOSITE} */
    public static CallRecord of(CallKey key, String what, String algorithm, String site, String backend) {
        CallRecord.Kind kind;
        long number;
        switch (key) {
            case CallKey.Ticket ticket -> {
                kind = backend.equals(COMPOSITE) ? CallRecord.Kind.COMPOSITE : CallRecord.Kind.COLLECTIVE;
                number = ticket.ticket();
            }
            case CallKey.Message message -> {
                kind = CallRecord.Kind.MESSAGE;
                number = Math.max(CallRecord.NONE, message.number());
            }
        }
        String label = readable(key.label());
        String name = readable(key.name());
        return new CallRecord(kind, key.group(), label, name, number, key.step(), what, algorithm, site, backend);
    }

    /** {@return a label or a name as people read it, without the mark that keeps those of streams apart from a program's} */
    public static String readable(String label) {
        return StreamName.readable(label);
    }

    /** {@return a failure} */
    public static FailureRecord of(Failure failure) {
        return new FailureRecord(failure.kind().name(), failure.culprit(), failure.text());
    }
}
