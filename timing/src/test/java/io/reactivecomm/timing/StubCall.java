package io.reactivecomm.timing;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A call of an engine that is not there, subscribed to at the time 0. */
record StubCall(
        String operation,
        long byteSize,
        int groupSize,
        String name,
        String algorithm,
        String backend,
        boolean isComposite,
        CallPhases phases,
        OptionalLong payloadBytes,
        OptionalLong headerBytes,
        String callSite)
        implements ObservedCall {

    static final CallPhases PHASES =
            new CallPhases(OptionalLong.of(1), OptionalLong.of(2), OptionalLong.of(3), OptionalLong.of(4));

    /** {@return a call over links, without a name} */
    static StubCall of(String operation, long byteSize, int groupSize) {
        return new StubCall(
                operation,
                byteSize,
                groupSize,
                "",
                "ring",
                "links",
                false,
                PHASES,
                OptionalLong.of(2 * byteSize),
                OptionalLong.of(100),
                "");
    }

    /** {@return a call of an engine that tells nothing but its beginning and end} */
    static StubCall elsewhere(String operation, long byteSize, int groupSize) {
        return new StubCall(
                operation,
                byteSize,
                groupSize,
                "",
                "",
                "mpi",
                false,
                CallPhases.UNKNOWN,
                OptionalLong.empty(),
                OptionalLong.empty(),
                "");
    }

    static StubCall composite(String operation) {
        return new StubCall(
                operation, 0, 2, "", "", "", true, CallPhases.UNKNOWN, OptionalLong.empty(), OptionalLong.empty(), "");
    }

    StubCall named(String value) {
        return new StubCall(
                operation,
                byteSize,
                groupSize,
                value,
                algorithm,
                backend,
                isComposite,
                phases,
                payloadBytes,
                headerBytes,
                callSite);
    }

    StubCall withAlgorithm(String value) {
        return new StubCall(
                operation,
                byteSize,
                groupSize,
                name,
                value,
                backend,
                isComposite,
                phases,
                payloadBytes,
                headerBytes,
                callSite);
    }

    StubCall at(String site) {
        return new StubCall(
                operation,
                byteSize,
                groupSize,
                name,
                algorithm,
                backend,
                isComposite,
                phases,
                payloadBytes,
                headerBytes,
                site);
    }

    @Override
    public OptionalInt worldSize() {
        return OptionalInt.of(16);
    }

    @Override
    public long number() {
        return 1;
    }

    @Override
    public int rank() {
        return 5;
    }

    @Override
    public long group() {
        return 0;
    }

    @Override
    public OptionalLong step() {
        return OptionalLong.empty();
    }

    @Override
    public String composite() {
        return "";
    }

    @Override
    public String label() {
        return name + "#0";
    }

    @Override
    public OptionalLong ticket() {
        return OptionalLong.of(0);
    }

    @Override
    public int ordinal() {
        return 1;
    }

    @Override
    public String type() {
        return "FLOAT32";
    }

    @Override
    public long count() {
        return byteSize / Float.BYTES;
    }

    @Override
    public String reduction() {
        return "SUM";
    }

    @Override
    public int peer() {
        return NO_PEER;
    }

    @Override
    public long subscribedAt() {
        return 0;
    }
}
