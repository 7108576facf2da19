package io.reactivecomm.sequence;

import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call at the member that submitted it, until it has ended: {@code WAITING → RUNNING}, and either may end. */
final class MemberCall {

    /** How long a call waits before the leader is asked about it, and between questions: contract 5's five seconds. */
    private static final long QUESTION_NANOS = 5_000_000_000L;

    private EngineCall call;
    private final CollectiveEngine.Sink sink;
    private final CallKey key;
    private final MemberGroup share;
    private final long startedAt;
    private final long timeoutNanos;
    private boolean running;
    private @Nullable CallCompletion end;
    private List<Integer> missing = List.of();
    private String latest = "";
    private boolean isOrder;
    private Alarms.Alarm alarm;

    MemberCall(
            EngineCall call, CollectiveEngine.Sink sink, CallKey key, MemberGroup share, long startedAt, long number) {
        this.call = call;
        this.sink = sink;
        this.key = key;
        this.share = share;
        this.startedAt = startedAt;
        this.timeoutNanos = OwnThreads.countable(call.deadline()).toNanos();
        this.alarm = new Alarms.Alarm(nextAlarm(startedAt), number);
    }

    EngineCall call() {
        return call;
    }

    /** Its other end is known. */
    void meets(NameReference.Paired paired) {
        call = call.met(paired.source(), paired.number());
    }

    CollectiveEngine.Sink sink() {
        return sink;
    }

    CallKey key() {
        return key;
    }

    MemberGroup share() {
        return share;
    }

    String label() {
        return call.collective().label();
    }

    long startedAt() {
        return startedAt;
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    long deadline() {
        return startedAt + timeoutNanos;
    }

    /** {@return whether it was handed to the engine, which ends it} */
    boolean isRunning() {
        return running;
    }

    void run() {
        running = true;
    }

    /** The engine is about to be given it. */
    void handOn(CallCompletion taken) {
        end = taken;
    }

    /** The engine has thrown, or does not end it, and may be at it all the same. */
    void forsake(Failure cause) {
        if (end != null) {
            end.forsake(cause);
        }
    }

    /** {@return this rank in the world} */
    int rank() {
        return FailureTexts.rank(call.group());
    }

    /** {@return when the call wants attention next} */
    Alarms.Alarm alarm() {
        return alarm;
    }

    /** It has had attention, and wants it again a question's interval from now, or at its deadline. */
    void attended(long now) {
        alarm = new Alarms.Alarm(nextAlarm(now), alarm.number());
    }

    /** The engine is told that it is to end it, and has so long for that. */
    void lastChance(long now) {
        alarm = new Alarms.Alarm(now + QUESTION_NANOS, alarm.number());
    }

    private long nextAlarm(long now) {
        return Math.min(deadline(), now + Math.max(1, Math.min(QUESTION_NANOS, timeoutNanos / 2)));
    }

    /** The leader has said who is missing. */
    void answered(Notice.Waiting answer) {
        missing = answer.missing();
        latest = answer.latest();
        isOrder = answer.isOrder();
    }

    /** {@return the world ranks on which it was not ready when the leader said so last} */
    List<Integer> missing() {
        return missing;
    }

    /** {@return whether those have assembled it, or wait in other calls of the group that this rank has not issued} */
    boolean isOrder() {
        return isOrder;
    }

    /** {@return what those had issued last, in words; empty if the leader was not asked, or did not answer} */
    String latest() {
        return latest;
    }
}
