package io.reactivecomm.timeline;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalLong;

/** A call of an engine that is not there. */
class StubCall implements ObservedCall {

    static final CallPhases PHASES =
            new CallPhases(OptionalLong.of(10), OptionalLong.of(20), OptionalLong.of(30), OptionalLong.of(40));

    private final int rank;
    private final String label;
    private final long begun;
    private final long group;
    private final String backend;

    StubCall(int rank, String label, long begun) {
        this(rank, label, begun, 0, "links");
    }

    StubCall(int rank, String label, long begun, long group, String backend) {
        this.group = group;
        this.backend = backend;
        this.rank = rank;
        this.label = label;
        this.begun = begun;
    }

    @Override
    public long number() {
        return 1;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public long group() {
        return group;
    }

    @Override
    public int groupSize() {
        return 2;
    }

    @Override
    public String name() {
        return "";
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
        return label;
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
    public String operation() {
        return "all-reduce";
    }

    @Override
    public boolean isComposite() {
        return false;
    }

    @Override
    public String type() {
        return "FLOAT32";
    }

    @Override
    public long count() {
        return 256;
    }

    @Override
    public long byteSize() {
        return 1024;
    }

    @Override
    public String reduction() {
        return "SUM";
    }

    @Override
    public String algorithm() {
        return "ring";
    }

    @Override
    public String backend() {
        return backend;
    }

    @Override
    public int peer() {
        return NO_PEER;
    }

    @Override
    public long subscribedAt() {
        return begun;
    }

    @Override
    public CallPhases phases() {
        return PHASES;
    }

    @Override
    public OptionalLong payloadBytes() {
        return OptionalLong.of(2048);
    }
}
