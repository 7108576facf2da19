package io.reactivecomm.netty;

import io.reactivecomm.Operation;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** An engine whose opening, or closing, goes wrong on one rank in the way that a test says; on the others it opens as it should. */
public final class OddEngineProvider implements EngineProvider {

    /** The rank on which it goes wrong. */
    static final int ODD = 1;

    /** Engines that are open. */
    static final AtomicInteger OPEN = new AtomicInteger();

    static volatile Way way = Way.WELL;
    /** Thrown by the odd rank's close, if there is any. */
    static volatile @Nullable Throwable atClose;

    /** The ways in which an opening goes. */
    enum Way {
        WELL(null, ""),
        THROWS(() -> raised(new IllegalStateException("on purpose")), "on purpose"),
        ASSERTS(() -> raised(new AssertionError("on purpose")), "on purpose"),
        LACKS_A_LIBRARY(() -> raised(new UnsatisfiedLinkError("on purpose")), "on purpose"),
        LACKS_A_LIBRARY_LATER(
                () -> Mono.fromSupplier(() -> raised(new UnsatisfiedLinkError("on purpose"))), "on purpose"),
        RETURNS_NULL(() -> null, "returned null"),
        IS_EMPTY(Mono::empty, "without an engine"),
        FAILS(() -> Mono.error(new IllegalStateException("on purpose")), "on purpose"),
        REFUSES(
                () -> Mono.error(new UnsupportedCollectiveException("no device here: rank=1; plug one in")),
                "no device here"),
        NEVER_ENDS(Mono::never, "not open in time"),
        LEAVES_OTHERS_WAITING(() -> Mono.error(new IllegalStateException("on purpose")), "on purpose"),
        LACKS_A_LIBRARY_AFTER_AGREEING(() -> raised(new UnsatisfiedLinkError("on purpose")), "on purpose"),
        AGREES_FIRST(() -> raised(new IllegalStateException("on purpose")), "on purpose"),
        HAS_NO_DEVICES(null, "NullPointerException");

        final @Nullable Supplier<Mono<CollectiveEngine>> odd;
        final String said;

        Way(@Nullable Supplier<Mono<CollectiveEngine>> odd, String said) {
            this.odd = odd;
            this.said = said;
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public OddEngineProvider() {}

    private static <T> T raised(Throwable thrown) {
        throw OddEngineProvider.<RuntimeException>unchecked(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Override
    public String name() {
        return "odd";
    }

    @Override
    @SuppressWarnings("NullAway")
    public Set<String> devices() {
        return way == Way.HAS_NO_DEVICES ? null : Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        int rank = context.control().rank();
        Supplier<Mono<CollectiveEngine>> odd = rank == ODD ? way.odd : null;
        return switch (way) {
            case AGREES_FIRST, LACKS_A_LIBRARY_AFTER_AGREEING ->
                context.agree(rank, Integer.class).flatMap(all -> odd == null ? well(context) : odd.get());
            case LEAVES_OTHERS_WAITING ->
                odd != null ? odd.get() : context.agree(rank, Integer.class).flatMap(all -> well(context));
            default -> odd != null ? odd.get() : well(context);
        };
    }

    private Mono<CollectiveEngine> well(EngineContext context) {
        return Mono.fromSupplier(() -> {
            OPEN.incrementAndGet();
            return SequencedEngine.of(
                    name(), context.control(), new Odd(context.control().rank()));
        });
    }

    private record Odd(int rank) implements OrderedEngine {

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            return kind.operation() == Operation.ALL_REDUCE ? null : "only all-reduce";
        }

        @Override
        public void run(List<Turn> batch) {
            Turn.calls(batch).forEach(turn -> turn.sink().succeeded(Completion.of("odd")));
        }

        @Override
        public void abandonGroup(EngineGroup group, Failure cause) {}

        @Override
        public void closeGroup(EngineGroup group) {}

        @Override
        public void close() {
            OPEN.decrementAndGet();
            Throwable thrown = atClose;
            if (rank == ODD && thrown != null) {
                raised(thrown);
            }
        }
    }
}
