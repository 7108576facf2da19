package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Conversation;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.spi.CallKey;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One subscription of an operation of several calls: gives each its identity and what is left of the deadline, and when it fails between
 * two of them refuses the next, which the other ranks wait for.
 *
 * <p><b>Threads.</b> One after the other, as the calls follow each other.
 */
final class GroupConversation implements Conversation {

    private final Assembler assembler;
    private final CallOptions options;
    private final String operation;
    private final long firstTicket;
    private final int steps;
    private final int ordinal;
    private final String site;
    private final long startedAt;
    private int step;

    GroupConversation(Assembler assembler, CallOptions options, String operation, long firstTicket, int steps, int ordinal, String site) {
        this.assembler = assembler;
        this.options = options;
        this.operation = operation;
        this.firstTicket = firstTicket;
        this.steps = steps;
        this.ordinal = ordinal;
        this.site = site;
        this.startedAt = assembler.driver().loop().nanoTime();
    }

    <T> Mono<T> run(Function<? super GroupConversation, Mono<T>> talk) {
        // Not doOnError, which would keep a fatal error from whoever comes behind.
        return Mono.defer(() -> talk.apply(this)).onErrorResume(error -> {
            refuse(error);
            return Mono.error(error);
        });
    }

    @Override
    public int rank() {
        return assembler.group().rank();
    }

    @Override
    public int size() {
        return assembler.group().size();
    }

    @Override
    public Mono<Work> next(Supplier<Collective> call) {
        return next(call, key -> null);
    }

    /** As {@link #next(Supplier)}, of a call that makes a group. */
    Mono<Work> next(Supplier<Collective> call, Function<CallKey.Ticket, @Nullable GroupState> forms) {
        long ticket = nextTicket();
        return Mono.defer(() -> {
            Checked checked = Checked.call(call, assembler.group());
            GroupState formed = checked.error() == null ? forms.apply(assembler.key(options, ticket, ordinal)) : null;
            return assembler.once(options.withDeadline(left()), checked, ticket, ordinal, site, formed);
        });
    }

    @Override
    public Mono<Work> nextAside(Supplier<Collective> call) {
        long ticket = nextTicket();
        return aside(() -> Checked.call(call, assembler.group()))
                .flatMap(checked -> assembler.once(options.withDeadline(left()), checked, ticket, ordinal, site, null));
    }

    private long nextTicket() {
        if (step == steps) {
            throw new IllegalStateException(operation + " makes more calls than it has tickets: tickets=" + steps);
        }
        return firstTicket + step++;
    }

    @Override
    public boolean isOnLoop() {
        return assembler.driver().loop().inLoop();
    }

    @Override
    public <T> Mono<T> aside(Supplier<T> work) {
        return assembler.driver().answers().aside(work);
    }

    private Duration left() {
        Duration left = options.deadline().minusNanos(assembler.driver().loop().nanoTime() - startedAt);
        return left.isPositive() ? left : Duration.ofNanos(1);
    }

    /** Tells the ranks that wait for the next call that it will not come. */
    private void refuse(Throwable error) {
        if (step < steps) {
            CommException cause = error instanceof CommException known
                    ? known
                    : new InvalidCallException(operation + " failed: cause=" + error + "; look at this rank's own output", error);
            assembler.once(options, Checked.refused(cause), firstTicket + step++, ordinal, site, null)
                    .subscribe(ignored -> {}, ignored -> {});
        }
    }
}
