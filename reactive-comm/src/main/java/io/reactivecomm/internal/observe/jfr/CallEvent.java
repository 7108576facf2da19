package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalLong;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Throttle;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * A call of one rank, from its subscription to its end. What is not known is shown as N/A.
 *
 * <p>A thousand a second at most unless a recording says otherwise: one that runs all the time must not be filled by calls of 10 µs.
 */
@Name("io.reactivecomm.Call")
@Label("Call")
@Description("A collective, message or composite call on one rank, from its subscription to its end")
@Throttle("1000/s")
final class CallEvent extends CallFacts {

    /** What the recorder's tools show as N/A. */
    static final long UNKNOWN = Long.MIN_VALUE;

    @Label("Composite")
    @Description("The composite call's run that it is part of")
    String composite = "";

    @Label("Group Size")
    int groupSize;

    @Label("Peer")
    @Description("The other rank of a message")
    int peer;

    @Label("Bytes")
    @Description("The call's size as nccl-tests counts it")
    @DataAmount
    long bytes;

    @Label("Elements")
    long elements;

    @Label("Type")
    String type = "";

    @Label("Reduction")
    String reduction = "";

    @Label("Algorithm")
    String algorithm = "";

    @Label("Backend")
    String backend = "";

    @Label("Queued")
    @Description("Until the loop began it")
    @Timespan
    long queued;

    @Label("Matching")
    @Description("From then until the last of the ranks that it deals with had made the call")
    @Timespan
    long matching;

    @Label("Wire")
    @Description("From then to the end, without folding")
    @Timespan
    long wire;

    @Label("Fold")
    @Description("Combining elements on this rank")
    @Timespan
    long fold;

    @Label("Sent")
    @Description("Payload that this rank has given to its links")
    @DataAmount
    long sent;

    @Label("Error")
    @Description("The error's type, if it failed")
    String error = "";

    void ended(ObservedCall observed, @Nullable Throwable failure) {
        is(observed);
        composite = observed.composite();
        groupSize = observed.groupSize();
        peer = observed.peer() == ObservedCall.NO_PEER ? Integer.MIN_VALUE : observed.peer();
        bytes = observed.byteSize();
        elements = observed.count() == ObservedCall.NO_COUNT ? UNKNOWN : observed.count();
        type = observed.type();
        reduction = observed.reduction();
        algorithm = observed.algorithm();
        backend = observed.backend();
        sent = orUnknown(observed.payloadBytes());
        error = failure == null ? "" : failure.getClass().getSimpleName();
        took(observed.phases());
    }

    private void took(CallPhases phases) {
        queued = orUnknown(phases.queued());
        matching = orUnknown(phases.matching());
        wire = orUnknown(phases.wire());
        fold = orUnknown(phases.fold());
    }

    private static long orUnknown(OptionalLong known) {
        return known.orElse(UNKNOWN);
    }
}
