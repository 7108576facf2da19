package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.observe.CallRecords;
import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.GroupRecord;
import io.reactivecomm.recorder.LiveCall;
import io.reactivecomm.recorder.PeerRecord;
import io.reactivecomm.recorder.RankState;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A look at all that the engine holds, put into words: so calls under way cost nothing until somebody asks. Taken on the loop, or, where that does not turn,
 * beside it.
 */
final class Snapshot {

    private final World world;
    private final Calls calls;
    private final Composites composites;
    private final ForeignCalls foreign;
    private final Watch watch;
    private final long now;

    Snapshot(World world, Calls calls, Composites composites, ForeignCalls foreign, Watch watch, long now) {
        this.world = world;
        this.calls = calls;
        this.composites = composites;
        this.foreign = foreign;
        this.watch = watch;
        this.now = now;
    }

    RankState take() {
        return new RankState(live(), calls.recorder().calls(now), peers(), groups());
    }

    private List<LiveCall> live() {
        List<LiveCall> live = new ArrayList<>();
        composites.snapshot().stream()
                .sorted(Comparator.comparingLong(Composite::number))
                .map(this::composite)
                .forEach(live::add);
        foreign.snapshot().stream().map(this::elsewhere).forEach(live::add);
        int left = calls.live().size();
        for (Call call : calls.live()) {
            // Beside the loop the list may change, and have no end.
            if (left-- > 0) {
                addTo(live, call);
            }
        }
        return live;
    }

    private void addTo(List<LiveCall> live, Call call) {
        CallKey key = call.key();
        if (key != null) {
            live.add(call(
                    call,
                    CallRecords.of(
                            key,
                            call.collective().describe(),
                            call.algorithm(),
                            call.submission().site(),
                            Submission.BACKEND)));
        } else {
            Channel channel = call.submission().channel();
            live.add(call(
                    call,
                    new CallRecord(
                            CallRecord.Kind.MESSAGE,
                            call.group().id(),
                            CallRecords.readable(call.label()),
                            CallRecords.readable(channel.name()),
                            CallRecord.NONE,
                            channel.step(),
                            call.collective().describe(),
                            "",
                            call.submission().site(),
                            Submission.BACKEND)));
        }
    }

    private LiveCall call(Call call, CallRecord record) {
        Missing waiting = Missing.of(call, world);
        List<Integer> missing = waiting.ranks();
        Stall stall = call.stall();
        List<String> answers = stall == null
                ? List.of()
                : missing.stream().filter(stall::knows).map(stall::latestOf).toList();
        LiveCall.State state = state(call, missing);
        return new LiveCall(
                record,
                state,
                micros(now - call.startedAt()),
                micros(call.deadline() - now),
                missing,
                waiting.isIdle(),
                waitsFor(call, state, missing),
                answers);
    }

    private static LiveCall.State state(Call call, List<Integer> missing) {
        return switch (call.state()) {
            case POSTED -> LiveCall.State.POSTED;
            case DISPUTED -> LiveCall.State.DISPUTED;
            case RUNNING, ENDED -> missing.isEmpty() ? LiveCall.State.MOVING : LiveCall.State.MATCHING;
        };
    }

    private String waitsFor(Call call, LiveCall.State state, List<Integer> missing) {
        return switch (state) {
            case POSTED -> "a message from rank " + (missing.size() == 1 ? missing.getFirst() : "any of " + missing);
            case MATCHING -> Failures.ranks(missing) + " to make the call";
            case DISPUTED -> "the verdict on who called what";
            case MOVING ->
                "bytes from or to " + Failures.ranks(call.partners().ranks(partner -> !partner.isFinished()));
            case QUEUED, ELSEWHERE -> "";
        };
    }

    private LiveCall composite(Composite run) {
        CallRecord record = CallRecords.of(run.key(), run.description(), "", "", CallRecords.COMPOSITE);
        long left = run.hasDeadline() ? micros(run.deadline() - now) : Long.MAX_VALUE;
        String waitsFor = run.isOpen() ? "its body" : "the calls that its body has made";
        return new LiveCall(
                record,
                LiveCall.State.ELSEWHERE,
                micros(now - run.startedAt()),
                left,
                List.of(),
                false,
                waitsFor,
                List.of());
    }

    private LiveCall elsewhere(QueueEntry.Foreign call) {
        CallRecord record = CallRecords.of(
                call.key(), call.words().get(), "", "", call.performer().name());
        return new LiveCall(
                record,
                LiveCall.State.ELSEWHERE,
                micros(now - call.performer().startedAt()),
                Long.MAX_VALUE,
                List.of(),
                false,
                "engine " + call.performer().name(),
                List.of());
    }

    private List<PeerRecord> peers() {
        return world.peers().stream()
                .map(peer -> new PeerRecord(
                        peer.rank(),
                        PeerRecord.State.valueOf(peer.state().name()),
                        peer.hasBeenHeard() ? micros(now - peer.heardAt()) : CallRecord.NONE,
                        watch.heldUp(peer, now)))
                .toList();
    }

    private List<GroupRecord> groups() {
        List<GroupRecord> groups = new ArrayList<>();
        world.groups().stream()
                .filter(group -> !group.isControl())
                .sorted(Comparator.comparingLong(GroupState::id))
                .forEach(group -> addTo(groups, group));
        return groups;
    }

    private static void addTo(List<GroupRecord> groups, GroupState group) {
        Failure cause = group.ended();
        if (cause == null) {
            groups.add(new GroupRecord(
                    group.id(),
                    group.generation(),
                    group.worldRanks(),
                    group.membersThatLeft(),
                    false,
                    null,
                    group.latest()));
        } else {
            groups.add(new GroupRecord(
                    group.id(),
                    group.generation(),
                    group.worldRanks(),
                    group.membersThatLeft(),
                    group.endedInGoodOrder(),
                    CallRecords.of(cause),
                    group.latest()));
        }
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }
}
