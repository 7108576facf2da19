package io.reactivecomm.spi.rendezvous;

import io.reactivecomm.Meeting;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.spi.WarningLog;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The rounds of one attempt to meet by an all-gather: as many on this rank as on all others, whatever becomes of the attempt.
 *
 * <p>A rank that gives up {@linkplain #tell sends} the reason in the remaining rounds. A round under way is left to end, since most libraries cannot cancel
 * one, and the next follows it. {@link #cancel} abandons a round that does not end, and with it the rounds that are left.
 *
 * <pre>
 *   allGather ── round 1 ── allGather ── round 2 ──&gt; over
 *       │           │           │
 *       └───────────┴───────────┴── tell: rounds that are left, with the reason ──&gt; over
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
public final class MeetingRounds implements Meeting {

    private static final Logger LOG = WarningLog.of(MeetingRounds.class);

    private final Meeting meeting;
    private final Sinks.Empty<Void> over = Sinks.empty();
    private final Disposable.Swap underWay = Disposables.swap();
    private int begun;
    private boolean isUnderWay;
    private @Nullable String farewell;

    public MeetingRounds(Meeting meeting) {
        this.meeting = meeting;
    }

    @Override
    public boolean isConfidential() {
        return meeting.isConfidential();
    }

    @Override
    public int rank() {
        return meeting.rank();
    }

    @Override
    public int size() {
        return meeting.size();
    }

    /** {@return the next round} Cancelling detaches the subscriber. */
    @Override
    public Mono<List<byte[]>> allGather(byte[] own) {
        return Mono.defer(() -> {
            synchronized (this) {
                if (isUnderWay || farewell != null || begun == MeetingRecord.ROUNDS) {
                    return Mono.error(new RendezvousException("no round of this meeting is left: begun=" + begun
                            + ", underWay=" + isUnderWay + ", givenUp=" + (farewell != null) + "; connect again"));
                }
                begin();
            }
            Sinks.One<List<byte[]>> result = Sinks.one();
            perform(own, result);
            return result.asMono();
        });
    }

    /** Has the lock. */
    private void begin() {
        begun++;
        isUnderWay = true;
    }

    private void perform(byte[] own, Sinks.One<List<byte[]>> result) {
        try {
            meeting.allGather(own)
                    .switchIfEmpty(Mono.error(() -> new IllegalStateException("it completed without records")))
                    .doOnSubscribe(round -> underWay.replace(round::cancel))
                    .subscribe(records -> succeeded(records, result), problem -> failed(problem, result));
        } catch (Exception | Error e) {
            failed(e, result);
        }
    }

    private void succeeded(List<byte[]> records, Sinks.One<List<byte[]>> result) {
        synchronized (this) {
            isUnderWay = false;
        }
        goOn();
        result.tryEmitValue(records);
    }

    /** Nobody knows what the function does next: it is not called again. */
    private void failed(Throwable problem, Sinks.One<List<byte[]>> result) {
        int round;
        synchronized (this) {
            isUnderWay = false;
            round = begun;
            begun = MeetingRecord.ROUNDS;
        }
        goOn();
        result.tryEmitError(new RendezvousException(
                "an all-gather failed while the ranks met by it: round=" + round + " of " + MeetingRecord.ROUNDS
                        + ", cause=" + ErrorTexts.describe(problem)
                        + "; see what its library says, here and on the other ranks",
                problem));
    }

    /**
     * Tells the other ranks, in the rounds that are left, why this one does not join.
     *
     * @return completes when no round is left, or when none can be had
     */
    public Mono<Void> tell(Throwable problem) {
        synchronized (this) {
            farewell = farewell == null ? text(problem) : farewell;
        }
        goOn();
        synchronized (this) {
            if (isUnderWay) {
                LOG.warn("this rank does not join, and waits for the others to tell them why: cause={}", farewell);
            }
        }
        return over.asMono();
    }

    /** Abandons the round under way and those that are left: their results are discarded. No effect once the meeting is over. */
    public void cancel() {
        synchronized (this) {
            isUnderWay = false;
            begun = MeetingRecord.ROUNDS;
        }
        underWay.dispose();
        goOn();
    }

    private static String text(Throwable problem) {
        return problem instanceof RendezvousException
                ? ErrorTexts.messageOrType(problem)
                : ErrorTexts.describe(problem);
    }

    private void goOn() {
        byte[] word;
        synchronized (this) {
            if (isUnderWay) {
                return;
            }
            if (begun == MeetingRecord.ROUNDS) {
                over.tryEmitEmpty();
                return;
            }
            if (farewell == null) {
                return;
            }
            begin();
            word = MeetingCodec.encode(farewell(farewell), begun);
        }
        perform(word, Sinks.one());
    }

    /** A function that does not know its place cannot be asked again. */
    private MeetingRecord.Failure farewell(String text) {
        int rank = -1;
        int size = 0;
        try {
            rank = meeting.rank();
            size = meeting.size();
        } catch (Exception e) {
            Thrown.keepInterrupt(e);
            LOG.debug("an all-gather does not tell its rank and size", ErrorTexts.printable(e));
        }
        return new MeetingRecord.Failure(rank, size, rank, text);
    }
}
