package io.reactivecomm.engine;

import io.reactivecomm.CommException;
import io.reactivecomm.Device;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Operation;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Makes calls of one group: counts their tickets, and at each subscription borrows the tensors and finds the schedule.
 *
 * <p><b>Threads.</b> Any.
 */
final class Assembler {

    /** Longer than any job runs, and far from the overflow of a clock in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(10_000);

    private final RankDriver driver;
    private final GroupState group;
    private final Plans plans;
    private final boolean callSites;
    private final Map<String, AtomicLong> tickets = new ConcurrentHashMap<>();

    /** @param callSites whether calls carry the place in the program that assembled them */
    Assembler(RankDriver driver, GroupState group, Plans plans, boolean callSites) {
        this.driver = driver;
        this.group = group;
        this.plans = plans;
        this.callSites = callSites;
    }

    GroupState group() {
        return group;
    }

    RankDriver driver() {
        return driver;
    }

    Mono<Work> collective(String name, Duration deadline, LinksGroup.Checked checked) {
        long ticket = tickets.computeIfAbsent(name, ignored -> new AtomicLong()).getAndIncrement();
        String site = site();
        return new CallMono(driver, (ordinal, subscription) -> {
            CallKey.Ticket key = new CallKey.Ticket(group.generation(), group.id(), name, ticket, ordinal);
            Submission.Body body = body(checked, key.label(), subscription);
            return new Submission(group, new Submission.Address.Collectively(key), body, nanos(deadline), site, subscription);
        });
    }

    Mono<Work> message(Submission.Address address, Duration deadline, LinksGroup.Checked checked) {
        String site = site();
        return new CallMono(driver, (ordinal, subscription) ->
                new Submission(group, address, body(checked, "", subscription), nanos(deadline), site, subscription));
    }

    private Submission.Body body(LinksGroup.Checked checked, String label, CallSubscription subscription) {
        return switch (checked) {
            case LinksGroup.Checked.Unsound unsound -> new Submission.Body.Invalid(failure(unsound.error(), label));
            case LinksGroup.Checked.Sound sound -> borrowed(sound.collective(), label, subscription);
        };
    }

    private Submission.Body borrowed(Collective collective, String label, CallSubscription subscription) {
        CommException refusal = refusal(collective, subscription);
        if (refusal != null) {
            return new Submission.Body.Invalid(failure(refusal, label));
        }
        boolean isMessage = collective.signature().operation() == Operation.MESSAGE;
        Schedule schedule = isMessage ? null : plans.schedule(collective.signature(), group.rank(), group.size());
        return new Submission.Body.Valid(collective, schedule, memory(collective.input()), memory(collective.output()));
    }

    /** {@return why this engine cannot take the call's tensors, or null if it has borrowed them} */
    private static @Nullable CommException refusal(Collective collective, CallSubscription subscription) {
        for (Tensor tensor : collective.tensors()) {
            if (!tensor.device().equals(Device.CPU)) {
                return new UnsupportedCollectiveException(collective.label() + " over links takes tensors in the host's memory: device="
                        + tensor.device() + "; copy the tensor to the host");
            }
        }
        Tensor closed = subscription.borrow(collective.tensors());
        return closed == null
                ? null
                : new InvalidCallException(collective.label() + " got a tensor that was closed before the call was subscribed to: tensor="
                        + closed + "; keep it open until the call has ended");
    }

    private static MemorySegment memory(@Nullable Tensor tensor) {
        return tensor == null ? MemorySegment.NULL : tensor.segment();
    }

    private Failure failure(CommException error, String label) {
        Failure.Kind kind = error instanceof UnsupportedCollectiveException ? Failure.Kind.UNSUPPORTED : Failure.Kind.INVALID;
        int rank = group.worldRanks().get(group.rank());
        return new Failure(kind, rank, error.getMessage() + " (rank=" + rank + (label.isEmpty() ? "" : ", call=" + label) + ")");
    }

    /** {@return the deadline in nanoseconds, cut to what can be added to a clock's reading} */
    private static long nanos(Duration deadline) {
        return deadline.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : deadline.toNanos();
    }

    private String site() {
        if (!callSites) {
            return "";
        }
        return StackWalker.getInstance().walk(frames -> frames
                .filter(frame -> !frame.getClassName().startsWith(Assembler.class.getPackageName()))
                .findFirst()
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .orElse(""));
    }
}
