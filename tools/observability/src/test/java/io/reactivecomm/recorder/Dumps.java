package io.reactivecomm.recorder;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Dumps that were made up. */
public final class Dumps {

    private static final Instant TIME = Instant.parse("2026-11-25T12:00:00Z");

    private final int rank;
    private final int worldSize;
    private final List<LiveCall> live = new ArrayList<>();
    private final List<EndedCall> ended = new ArrayList<>();
    private final List<PeerRecord> peers = new ArrayList<>();
    private final List<ThreadRecord> threads = new ArrayList<>();
    private final List<ProgramFault> faults = new ArrayList<>();
    private LoopRecord loop = new LoopRecord("loop", true, CallRecord.NONE, List.of());
    private @Nullable FailureRecord groupFailure;
    private boolean isClosed;
    private String worldId = "a world";
    private Instant time = TIME;

    private Dumps(int rank, int worldSize) {
        this.rank = rank;
        this.worldSize = worldSize;
    }

    public static Dumps of(int rank, int worldSize) {
        return new Dumps(rank, worldSize);
    }

    private static CallRecord call(String name, int number) {
        return new CallRecord(
                CallRecord.Kind.COLLECTIVE,
                0,
                name + "#" + number,
                name,
                number,
                CallRecord.NONE,
                "all-reduce",
                "ring",
                "",
                "links");
    }

    public Dumps at(Instant other) {
        time = other;
        return this;
    }

    public Dumps inWorld(String other) {
        worldId = other;
        return this;
    }

    /** Its program's thread is there. */
    public Dumps isAt(String frame) {
        threads.add(new ThreadRecord("main", "RUNNABLE", true, false, "", "", List.of(frame)));
        return this;
    }

    public Dumps left() {
        isClosed = true;
        return this;
    }

    public Dumps waitsIn(String name, int number, Integer... missing) {
        live.add(new LiveCall(
                call(name, number),
                LiveCall.State.MATCHING,
                1_000_000,
                Long.MAX_VALUE,
                List.of(missing),
                false,
                "",
                List.of()));
        return this;
    }

    /** It waits for a message that may never come: from any rank, or a stream's next item. */
    public Dumps idlesIn(String name, Integer... missing) {
        CallRecord receive = new CallRecord(
                CallRecord.Kind.MESSAGE, 0, name, name, CallRecord.NONE, CallRecord.NONE, "receive", "", "", "links");
        live.add(new LiveCall(
                receive, LiveCall.State.POSTED, 2_000_000, Long.MAX_VALUE, List.of(missing), true, "", List.of()));
        return this;
    }

    public Dumps ended(String name, int number, long subscribedMicrosAgo, long tookMicros) {
        return ended(name, number, subscribedMicrosAgo, tookMicros, null);
    }

    public Dumps ended(
            String name, int number, long subscribedMicrosAgo, long tookMicros, @Nullable FailureRecord failure) {
        ended.add(new EndedCall(
                call(name, number), subscribedMicrosAgo, subscribedMicrosAgo - tookMicros, failure, List.of()));
        return this;
    }

    /** Its group has ended. */
    public Dumps groupFailed(FailureRecord failure) {
        groupFailure = failure;
        return this;
    }

    /** Its program's thread has died, so long before the dump. */
    public Dumps died(long millisAgo, String... causes) {
        faults.add(new ProgramFault(
                time.minusMillis(millisAgo),
                "main",
                true,
                List.of(causes),
                List.of("org.example.Train.main(Train.java:7)")));
        return this;
    }

    /** Its loop has not answered, and is in a turn for so long. */
    public Dumps isHeld(long turnMicros, String frame) {
        loop = new LoopRecord("loop", false, turnMicros, List.of(frame));
        return this;
    }

    public Dumps knows(int peer, PeerRecord.State state, String heldUp) {
        peers.add(new PeerRecord(peer, state, CallRecord.NONE, heldUp));
        return this;
    }

    public FlightDump make() {
        GroupRecord world = new GroupRecord(0, 0, List.of(), List.of(), isClosed, groupFailure, "");
        return new FlightDump(
                FlightDump.VERSION,
                new DumpOrigin(rank, worldSize, worldId, "host", 100 + rank, time, "a test", false),
                loop,
                new RankState(live, ended, peers, List.of(world)),
                faults,
                threads);
    }
}
