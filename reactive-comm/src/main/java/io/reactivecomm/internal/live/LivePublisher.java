package io.reactivecomm.internal.live;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.observe.InFlight;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WorkThreads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * The voice of a rank towards those who watch its job. While nobody does it waits for an answer of the {@link LiveBoard}, and nothing else is there for its sake: no
 * observer, no timer. While somebody does it counts calls, and tells of them and of those under way in the interval that the board asks for.
 *
 * <pre>
 *   WAITING ── somebody watches ──&gt; PUBLISHING, the first time at once ── nobody watches any more, or a record was refused ──&gt; WAITING
 *      └──────────────── the board has gone ────────┴──────────────────────────────────────────────────&gt; over
 * </pre>
 *
 * <p><b>Threads.</b> The rank's loop, but for putting into words: a rank whose loop is held tells nothing, and its watchers see that.
 *
 * <p>One record is on its way at a time, so that none replaces a newer one.
 *
 * <p><b>Errors.</b> None leave here: whatever goes wrong with watching is no concern of the job's.
 */
public final class LivePublisher {

    private static final Logger LOG = LoggerFactory.getLogger(LivePublisher.class);

    private static final long PID = ProcessHandle.current().pid();

    private final LiveBoard board;
    private final Loop loop;
    private final Observers observers;
    private final Member member;
    private final Consumer<Consumer<InFlight>> look;
    private final CallMeter meter = new CallMeter(this::hurry);
    private final AtomicBoolean hurries = new AtomicBoolean();
    private Disposable observing = Disposables.disposed();
    private long toldAt;
    private boolean hasTold;
    private Duration wanted = JobBoard.LONGEST_INTERVAL;
    /** Whether a record is on its way: one at a time, or an older one might replace a newer. */
    private boolean isTelling;
    /** What has come meanwhile: news that is to be told out of turn, or the turn itself. */
    private boolean isToTellAgain;

    private boolean isTurnDue;

    /** The place of a rank. @param host the identity of its machine, whose last word is a name */
    public record Member(int rank, int worldSize, String host) {

        String machine() {
            return host.substring(host.lastIndexOf(' ') + 1);
        }
    }

    private LivePublisher(
            LiveBoard board, Loop loop, Observers observers, Member member, Consumer<Consumer<InFlight>> look) {
        this.board = board;
        this.loop = loop;
        this.observers = observers;
        this.member = member;
        this.look = look;
    }

    /**
     * Begins to wait for watchers, until the board has gone.
     *
     * @param observers those of the world
     * @param look asks what is under way; the answer comes on the loop
     */
    public static void start(
            LiveBoard board, Loop loop, Observers observers, Member member, Consumer<Consumer<InFlight>> look) {
        new LivePublisher(board, loop, observers, member, look).await();
    }

    private void await() {
        board.watched().subscribe(every -> loop.execute(() -> begin(every)), this::end);
    }

    private void begin(Duration every) {
        wanted = every;
        hasTold = false;
        meter.take();
        observing = observers.add(meter);
        look.accept(this::tell);
    }

    /** Tells once more at once, out of turn: a program whose world has failed may not live to its next turn. From any thread. */
    private void hurry() {
        if (hurries.compareAndSet(false, true)) {
            loop.execute(() -> {
                hurries.set(false);
                look.accept(this::tellOutOfTurn);
            });
        }
    }

    /** What is under way while a record is has not been told by that one: it is told behind it, and never before. */
    private void tellOutOfTurn(InFlight inFlight) {
        if (isTelling) {
            isToTellAgain = true;
            return;
        }
        isTelling = true;
        publish(inFlight).subscribe(next -> loop.execute(this::told), problem -> {
            LOG.debug("could not tell the last: rank={}", member.rank, problem);
            loop.execute(this::told);
        });
    }

    private void tell(InFlight inFlight) {
        if (isTelling) {
            isTurnDue = true;
            return;
        }
        isTelling = true;
        publish(inFlight)
                .subscribe(next -> loop.execute(() -> goOn(next)), problem -> loop.execute(() -> startOver(problem)));
    }

    /** The record before this has left: those that had to wait for it follow. */
    private void told() {
        isTelling = false;
        if (isTurnDue) {
            isTurnDue = false;
            isToTellAgain = false;
            look.accept(this::tell);
        } else if (isToTellAgain) {
            isToTellAgain = false;
            look.accept(this::tellOutOfTurn);
        }
    }

    /** It is put into words elsewhere: to load the classes for that alone would hold the loop for longer than calls may wait. */
    private Mono<Duration> publish(InFlight inFlight) {
        RankReport report = report(inFlight);
        return Mono.fromCallable(() -> ReportCodec.encode(report))
                .subscribeOn(WorkThreads.shared())
                .flatMap(board::publish);
    }

    private RankReport report(InFlight inFlight) {
        long now = loop.nanoTime();
        CallMeter.Counts counts = meter.take();
        Duration over = hasTold ? Duration.ofNanos(now - toldAt) : Duration.ZERO;
        hasTold = true;
        toldAt = now;
        return new RankReport(
                member.rank,
                member.worldSize,
                PID,
                member.machine(),
                over,
                counts.calls(),
                counts.failed(),
                counts.bytes(),
                counts.busBytes(),
                counts.waitingNanos(),
                inFlight.count(),
                inFlight.oldest(),
                inFlight.lost(),
                inFlight.failure());
    }

    private void goOn(Duration every) {
        if (every.isZero()) {
            observing.dispose();
            isToTellAgain = false;
            await();
        } else {
            wanted = every;
            loop.schedule(() -> look.accept(this::tell), every.toNanos());
        }
        told();
    }

    /** One record that the board does not take ends no watching: it waits anew, after a while, since the board may refuse again. If that has gone, this ends all. */
    private void startOver(Throwable problem) {
        LOG.debug("a watcher was not told: rank={}", member.rank, ErrorTexts.printable(problem));
        observing.dispose();
        isToTellAgain = false;
        isTelling = false;
        loop.schedule(this::await, wanted.toNanos());
    }

    private void end(Throwable problem) {
        LOG.debug("nobody can watch this rank any more: rank={}", member.rank, ErrorTexts.printable(problem));
    }
}
