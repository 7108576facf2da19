package io.reactivecomm.testkit;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A call without an engine: an all-reduce of a kibibyte on two ranks unless a test says otherwise. Immutable, but for what subclasses add. */
public class StubCall implements ObservedCall, Cloneable {

    public static final CallPhases PHASES =
            new CallPhases(OptionalLong.of(10), OptionalLong.of(20), OptionalLong.of(30), OptionalLong.of(40));

    private static final int BYTES = 1024;

    private final int rank;
    private final long subscribedAt;
    private String label;
    private String name = "";
    private long group;
    private int groupSize = 2;
    private String operation = "all-reduce";
    private long byteSize = BYTES;
    private String algorithm = "ring";
    private String backend = "links";
    private boolean isComposite;
    private String callSite = "";

    public StubCall(int rank, String label, long subscribedAt) {
        this.rank = rank;
        this.label = label;
        this.subscribedAt = subscribedAt;
    }

    /** {@return a call over links of rank 5, without a name, subscribed to at the time 0} */
    public static StubCall of(String operation, long byteSize, int groupSize) {
        StubCall call = new StubCall(5, "#0", 0);
        call.operation = operation;
        call.byteSize = byteSize;
        call.groupSize = groupSize;
        return call;
    }

    /** {@return a call of an engine that reports its beginning and end only} */
    public static StubCall elsewhere(String operation, long byteSize, int groupSize) {
        StubCall call = of(operation, byteSize, groupSize);
        call.algorithm = "";
        call.backend = "mpi";
        return call;
    }

    public static StubCall composite(String operation) {
        StubCall call = of(operation, 0, 2);
        call.algorithm = "";
        call.backend = "";
        call.isComposite = true;
        return call;
    }

    public StubCall named(String value) {
        StubCall copy = copy();
        copy.name = value;
        copy.label = value + "#0";
        return copy;
    }

    public StubCall withAlgorithm(String value) {
        StubCall copy = copy();
        copy.algorithm = value;
        return copy;
    }

    /** {@return the same in that group, by that engine} */
    public StubCall in(long otherGroup, String otherBackend) {
        StubCall copy = copy();
        copy.group = otherGroup;
        copy.backend = otherBackend;
        return copy;
    }

    public StubCall at(String site) {
        StubCall copy = copy();
        copy.callSite = site;
        return copy;
    }

    private StubCall copy() {
        try {
            return (StubCall) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isOverLinks() {
        return backend.equals("links");
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
        return groupSize;
    }

    @Override
    public OptionalInt worldSize() {
        return OptionalInt.of(16);
    }

    @Override
    public String name() {
        return name;
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
        return operation;
    }

    @Override
    public boolean isComposite() {
        return isComposite;
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
    public long byteSize() {
        return byteSize;
    }

    @Override
    public String reduction() {
        return "SUM";
    }

    @Override
    public String algorithm() {
        return algorithm;
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
        return subscribedAt;
    }

    @Override
    public CallPhases phases() {
        return isOverLinks() ? PHASES : CallPhases.UNKNOWN;
    }

    @Override
    public OptionalLong payloadBytes() {
        return isOverLinks() ? OptionalLong.of(2 * byteSize) : OptionalLong.empty();
    }

    @Override
    public OptionalLong headerBytes() {
        return isOverLinks() ? OptionalLong.of(100) : OptionalLong.empty();
    }

    @Override
    public String callSite() {
        return callSite;
    }
}
