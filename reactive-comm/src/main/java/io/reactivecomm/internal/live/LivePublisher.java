package io.reactivecomm.internal.live;

import io.reactivecomm.internal.observe.InFlight;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.live.RankReport;
import io.reactivecomm.live.WaitingCall;
import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.Loop;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The voice of a rank towards those who watch its job. While nobody does it waits for an answer of the {@link LiveBoard}, and nothing else is there for its sake: no
 * observer, no timer. While somebody does it counts calls, and tells of them and of those under way in the interval that the board asks for.
 *
 * <pre>
 *   WAITING ── somebody watches ──&gt; PUBLISHING, the first time at once ── nobody watches any more ──&gt; WAITING
 *      └──────────────── the board has gone ────────┴──────────────────────────────────────────────────&gt; over
 * </pre>
 *
 * <p><b>Threads.</b> The rank's loop, but for putting into words: a rank whose loop is held tells nothing, and its watchers see that.
 *
 * <p><b>Errors.</b> None leave here: whatever goes wrong with watching ends it, and is no concern of the job's.
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

    /** The place of a rank. @param host the identity of its machine, whose last word is a name */
    public record Member(int rank, int worldSize, String host) {

        String machine() {
            return host.substring(host.lastIndexOf(' ') + 1);
        }
    }

    private LivePublisher(LiveBoard board, Loop loop, Observers observers, Member member, Consumer<Consumer<InFlight>> look) {
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
    public static void start(LiveBoard board, Loop loop, Observers observers, Member member, Consumer<Consumer<InFlight>> look) {
        new LivePublisher(board, loop, observers, member, look).await();
    }

    private void await() {
        board.watched().subscribe(every -> loop.execute(this::begin), this::end);
    }

    private void begin() {
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
                look.accept(inFlight -> publish(inFlight).subscribe(next -> {}, problem -> LOG.debug("could not tell the last", problem)));
            });
        }
    }

    /** It is put into words elsewhere: to load the classes for that alone would hold the loop for longer than calls may wait. */
    private Mono<Duration> publish(InFlight inFlight) {
        RankReport report = report(inFlight);
        return Mono.fromCallable(() -> ReportCodec.encode(report)).subscribeOn(Schedulers.boundedElastic()).flatMap(board::publish);
    }

    private void tell(InFlight inFlight) {
        publish(inFlight).subscribe(next -> loop.execute(() -> goOn(next)), this::end);
    }

    private RankReport report(InFlight inFlight) {
        long now = loop.nanoTime();
        CallMeter.Counts counts = meter.take();
        Duration over = hasTold ? Duration.ofNanos(now - toldAt) : Duration.ZERO;
        hasTold = true;
        toldAt = now;
        List<WaitingCall> oldest = inFlight.oldest().stream().map(LivePublisher::waiting).toList();
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
                inFlight.count(),
                oldest,
                inFlight.lost(),
                inFlight.failure());
    }

    private static WaitingCall waiting(InFlight.Waiting call) {
        Optional<Duration> since = call.nanos().isPresent() ? Optional.of(Duration.ofNanos(call.nanos().getAsLong())) : Optional.empty();
        return new WaitingCall(
                call.group(),
                call.groupSize(),
                call.label(),
                call.operation(),
                call.backend(),
                call.byteSize(),
                since,
                call.late(),
                call.late().size());
    }

    private void goOn(Duration every) {
        if (every.isZero()) {
            observing.dispose();
            await();
        } else {
            loop.schedule(() -> look.accept(this::tell), every.toNanos());
        }
    }

    private void end(Throwable problem) {
        LOG.debug("nobody can watch this rank any more: rank={}", member.rank, problem);
        observing.dispose();
    }
}
