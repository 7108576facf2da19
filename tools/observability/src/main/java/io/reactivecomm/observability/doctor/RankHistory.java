package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.GroupRecord;
import io.reactivecomm.recorder.ThreadRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One rank's dump, with its calls in the order in which its program made them. */
final class RankHistory {

    private final FlightDump dump;
    private final List<MadeCall> calls;
    private final Map<CallId, MadeCall> byId = new HashMap<>();
    private final @Nullable Ending ending;

    RankHistory(FlightDump dump) {
        this.dump = dump;
        List<MadeCall> all = new ArrayList<>();
        dump.state().ended().forEach(each -> all.add(MadeCall.of(each)));
        dump.state().live().forEach(each -> all.add(MadeCall.of(each)));
        // Stable: of one moment, those that ended come in the order of their ends.
        all.sort(Comparator.comparingLong(MadeCall::subscribedMicrosAgo).reversed());
        this.calls = List.copyOf(all);
        all.forEach(each -> byId.put(each.id(), each));
        this.ending = Ending.of(this);
    }

    FlightDump dump() {
        return dump;
    }

    int rank() {
        return dump.rank();
    }

    /** {@return its calls, the first first} */
    List<MadeCall> calls() {
        return calls;
    }

    /** {@return that call, if this rank has made it, as far as its recorder goes back} */
    @Nullable MadeCall find(CallId id) {
        return byId.get(id);
    }

    /** {@return the failures of its calls and groups} */
    Stream<FailureRecord> failures() {
        Stream<@Nullable FailureRecord> ofCalls = dump.state().ended().stream().map(EndedCall::failure);
        Stream<@Nullable FailureRecord> ofGroups =
                dump.state().groups().stream().map(GroupRecord::failure);
        return Stream.concat(ofCalls, ofGroups).flatMap(Stream::ofNullable);
    }

    /** {@return the failure from which it has not recovered, or null} */
    @Nullable Ending ending() {
        return ending;
    }

    /** {@return the calls of a program's own, without parts of composites, which come by themselves, and without those that may be idle} */
    private Stream<MadeCall> own(long group) {
        return calls.stream().filter(each -> each.call().group() == group && !each.mayBeIdle());
    }

    /** {@return the call that has ended last, or null} */
    @Nullable MadeCall lastEnded() {
        return dump.state().ended().isEmpty()
                ? null
                : byId.get(CallId.of(dump.state().ended().getLast().call()));
    }

    /** {@return whether it is in a call that is not idle} */
    boolean hasLive() {
        return calls.stream().anyMatch(each -> each.isLive() && !each.mayBeIdle());
    }

    /** {@return the call that it made last, but for those that may be idle; one of them, if there is no other} */
    MadeCall latest() {
        return calls.reversed().stream()
                .filter(each -> !each.mayBeIdle())
                .findFirst()
                .orElseGet(calls::getLast);
    }

    /** {@return its first call that may be idle, or null} */
    @Nullable MadeCall idle() {
        return calls.stream().filter(MadeCall::mayBeIdle).findFirst().orElse(null);
    }

    /** {@return the call that it made in the group just before that one, or null} */
    @Nullable MadeCall before(CallRecord call) {
        MadeCall before = null;
        for (MadeCall each : own(call.group()).toList()) {
            if (each.id().equals(CallId.of(call))) {
                return before;
            }
            before = each;
        }
        return null;
    }

    /** {@return the call that it made in the group just after that one, or null} */
    @Nullable MadeCall after(CallId id) {
        boolean isNext = false;
        for (MadeCall each : own(id.group()).toList()) {
            if (isNext) {
                return each;
            }
            isNext = each.id().equals(id);
        }
        return null;
    }

    /** {@return what it made the last time after a call like that one, before that very one; null if never} */
    @Nullable MadeCall usuallyAfter(MadeCall before) {
        MadeCall found = null;
        boolean isNext = false;
        for (MadeCall each : own(before.call().group()).toList()) {
            if (isNext) {
                found = each;
            }
            if (each.id().equals(before.id())) {
                return found;
            }
            isNext = each.isLike(before.call());
        }
        return found;
    }

    /** {@return whether it has made a later call of the same name} */
    boolean wentPast(CallRecord call) {
        return call.number() >= 0
                && own(call.group())
                        .anyMatch(each -> each.call().name().equals(call.name())
                                && each.call().kind() == call.kind()
                                && each.call().step() >= call.step()
                                && each.call().number() > call.number());
    }

    /** {@return the thread that its last call was made on, if that still lives} */
    Optional<ThreadRecord> caller() {
        return dump.threads().stream().filter(ThreadRecord::isCaller).findFirst();
    }

    /** {@return when something was, by this rank's wall clock, in microseconds} */
    long wallMicros(long microsAgo) {
        return dump.origin().time().toEpochMilli() * 1000 - microsAgo;
    }
}
