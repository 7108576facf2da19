package io.reactivecomm.internal.group;

import io.reactivecomm.GroupMesh;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.composite.Conversation;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.observe.ContextObservers;
import io.reactivecomm.spi.CallKey;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One subscription of an operation of several calls, which are one composite call: gives each its identity in it, and what is left of the
 * deadline.
 *
 * <p><b>Threads.</b> One after the other, as the calls follow each other.
 */
final class GroupConversation implements Conversation {

    /** A call inside is subscribed to once. */
    private static final int ONCE = 1;

    private final CompositeRun run;
    private final Assembler assembler;
    private final CallOptions options;
    private final String site;
    private final long startedAt;

    private GroupConversation(CompositeRun run, CallOptions options, String site) {
        this.run = run;
        this.assembler = run.assembler();
        this.options = options.withName("");
        this.site = site;
        this.startedAt = assembler.driver().loop().nanoTime();
    }

    /**
     * {@return an operation of several calls, whose ticket is taken now}
     * Each subscription runs it to its end, whoever listens; a result that comes after its subscriber has cancelled is closed.
     */
    static <T> Mono<T> of(
            Assembler assembler,
            CallOptions options,
            String operation,
            Function<? super GroupConversation, Mono<T>> talk) {
        String site = assembler.site(options);
        CompositePlan plan = new CompositePlan(assembler, options.withSite(site), operation).waitingOnly();
        return plan.mono(
                // The caller's hooks for what is discarded must not free what the calls still need.
                each -> talk.apply(new GroupConversation(each, options, site)).contextWrite(ContextObservers::alone),
                GroupConversation::closeLate);
    }

    private static void closeLate(Object result) {
        switch (result) {
            case ProcessGroup group -> group.close();
            case GroupMesh mesh -> mesh.close();
            case SparseTensor tensor -> tensor.close();
            default -> {}
        }
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
            Checked checked = assembler.checked(call);
            GroupState formed = checked.error() == null ? forms.apply(assembler.key(options, ticket, ONCE)) : null;
            return assembler.once(options.withDeadline(left()), checked, ticket, ONCE, site, formed);
        });
    }

    @Override
    public Mono<Work> nextAside(Supplier<Collective> call) {
        long ticket = nextTicket();
        return aside(() -> assembler.checked(call))
                .flatMap(checked -> assembler.once(options.withDeadline(left()), checked, ticket, ONCE, site, null));
    }

    private long nextTicket() {
        return assembler.take(options.name());
    }

    @Override
    public Runnable claim(List<Tensor> reads) {
        return RunClaim.of(run, run.operation(), "", reads, List.of());
    }

    @Override
    public boolean isOnLoop() {
        return assembler.driver().loop().inLoop();
    }

    @Override
    public <T> Mono<T> aside(Supplier<T> work) {
        return assembler.driver().answers().aside(work);
    }

    @Override
    public Mono<Void> over() {
        return run.over();
    }

    private Duration left() {
        Duration left = options.deadline().minusNanos(assembler.driver().loop().nanoTime() - startedAt);
        return left.isPositive() ? left : Duration.ofNanos(1);
    }
}
