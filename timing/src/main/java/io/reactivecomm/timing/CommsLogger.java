package io.reactivecomm.timing;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * A log of the calls of one rank, by their kinds: how often, how long, what the time went into, how fast, and what failed.
 *
 * {@snippet :
 * CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);
 * group.observe(logger);
 * // … calls …
 * System.out.print(logger.summary().table());
 * }
 *
 * <p>It hears of one group's calls by {@link ProcessGroup#observe}, or of a whole world's by {@link CommConfig#withObserver}. With RCOMM_COMMS_LOG
 * in the environment, {@link CommConfig#fromEnvironment} makes one. It prints its table on standard error when this rank leaves the world, or when the
 * JVM exits before that. {@link #in} finds that logger:
 *
 * {@snippet :
 * CommConfig config = CommConfig.fromEnvironment(System.getenv());
 * ProcessGroup group = ReactiveComm.connect(config).block();
 * // … calls …
 * CommsLogger.in(config).ifPresent(logger -> System.out.print(logger.summary().toCsv()));
 * }
 *
 * <p>Each rank has its own; in a local world, whose ranks share a configuration, one that is in it hears of all ranks. Calls are recorded as they
 * end, so one that had begun before {@link #start} or {@link #reset} counts if it ends afterwards. A composite call has a row, and its parts have
 * theirs. Nothing is synchronized for the sake of the log: a time is what the call took in the program, from its subscription to its end, and the
 * phases tell what of it was waiting.
 *
 * <p><b>Threads.</b> Any.
 *
 * <p><b>Cost.</b> {@value #MOST_KINDS} kinds of calls at most, 12 KB each; a call of a further kind is only counted. To record allocates nothing,
 * but for a call that is the first of its kind, one that failed, and what {@link ObservedCall#phases} makes.
 */
public final class CommsLogger implements CommObserver {

    /** The most kinds that are kept apart, so that sizes or names that never recur take no more than 12 MB. */
    public static final int MOST_KINDS = 1024;

    /** Keeps the tickets of comparisons apart from those of the program's calls. */
    private static final String STRAGGLERS = "comms-logger.stragglers";

    /** {@link io.reactivecomm.Work#algorithm()} of calls that are switched off. */
    private static final String OFF = "off";

    /** Of calls that the logger hears of by their groups. */
    private static final String NO_TAG = "";

    private static final Logger LOG = LoggerFactory.getLogger(CommsLogger.class);

    private volatile CommsLoggerOptions options;
    private volatile CallFilter filter;
    private volatile boolean isOn;
    private volatile KindTable table;
    private volatile int rank = CommsSummary.NO_RANK;
    private volatile int worldSize;
    /** One for each tag that is in use, so that a call counts once for its tag however often that is given. */
    private final Cache<String, Tagged> tagged =
            Caffeine.newBuilder().weakValues().build();

    /** Prints the table when the world is left; null for a logger that does not. */
    private final @Nullable TableAtEnd atEnd;

    private CommsLogger(CommsLoggerOptions options, @Nullable Consumer<String> printer) {
        this.options = options;
        this.atEnd = printer == null ? null : new TableAtEnd(() -> summary().table(), printer);
        this.filter = new CallFilter(options);
        this.isOn = options.enabled();
        this.table = new KindTable(options.debug());
    }

    /** {@return a logger that hears of nothing yet} */
    public static CommsLogger of(CommsLoggerOptions options) {
        return new CommsLogger(options, null);
    }

    /** {@return a logger whose table is printed when its rank leaves the world, or as the JVM exits if that comes first} */
    static CommsLogger printing(CommsLoggerOptions options, Consumer<String> printer) {
        return new CommsLogger(options, printer);
    }

    /** {@return the first logger among a configuration's observers, such as that of RCOMM_COMMS_LOG} */
    public static Optional<CommsLogger> in(CommConfig config) {
        return config.observers().stream()
                .filter(CommsLogger.class::isInstance)
                .map(CommsLogger.class::cast)
                .findFirst();
    }

    /** {@return its options} */
    public CommsLoggerOptions options() {
        return options;
    }

    /**
     * Changes the options while the logger observes, as DeepSpeed's {@code configure} does. Rows that are recorded stay. Whether rows have names and places
     * ({@code debug}) changes with the next {@link #reset}, and calls carry places only if the logger asked for them when it began to observe.
     */
    public void configure(CommsLoggerOptions changed) {
        options = changed;
        filter = new CallFilter(changed);
        isOn = changed.enabled();
    }

    /** Records calls that end from now on. */
    public void start() {
        isOn = true;
    }

    /** Records no more; what is recorded stays. */
    public void stop() {
        isOn = false;
    }

    /** Forgets what is recorded. A call that ends meanwhile may be forgotten, too. */
    public void reset() {
        table = new KindTable(options.debug());
    }

    /** {@return what is recorded; each row as it was at some moment of this method} */
    public CommsSummary summary() {
        KindTable now = table;
        return new CommsSummary(rank, worldSize, now.since(), Instant.now(), now.unlisted(), now.rows());
    }

    /**
     * {@return the latencies of single calls that succeeded, in nanoseconds, by operation and size, as DeepSpeed's {@code get_raw_data}: the latest
     * {@value Latencies#LATEST} of each kind} A call's algorithm bandwidth is its size divided by its latency.
     */
    public Map<String, Map<Long, List<Long>>> rawData() {
        return table.raw();
    }

    /**
     * Compares what the ranks of a group have recorded: each makes this call, and gets the same comparison. Summaries are of the moment of
     * subscription. The calls by which they are exchanged are recorded, too, for whoever looks next.
     *
     * <p><b>Errors.</b> As {@link ProcessGroup#allGatherObject(Object, Class)}, which it is; a rank that has recorded other calls, or none, is no
     * error.
     */
    public Mono<Stragglers> stragglers(ProcessGroup group) {
        return Mono.defer(() -> group.named(STRAGGLERS).allGatherObject(summary(), CommsSummary.class))
                .map(summaries -> Stragglers.of(group.ranks(), summaries));
    }

    /**
     * {@return an operator, for {@code transform} of any {@code Mono} or {@code Flux}, that records each subscription to it under a tag}
     *
     * {@snippet :
     * Mono<Loss> forward = model.forward(batch, group).transform(logger.timed("forward"));
     * }
     *
     * <p>The calls that are subscribed to under it count for the tag, whatever stands between, and whether or not the logger observes their groups: they are
     * found by Reactor's Context. Calls behind an operator that subscribes without its subscriber's Context are not found; the tag's row
     * {@linkplain CommsSummary.Row#isUntimed says} if that is so of all. One inside another counts for itself, and its calls for both, but once for each tag.
     * Subscriptions that
     * fail or are cancelled are failures; calls that end after that count all the same.
     *
     * @param tag any text but an empty one
     * @throws InvalidCallException if it is empty
     */
    public <T> Function<Publisher<T>, Publisher<T>> timed(String tag) {
        Tagged keeper = tagged(tag);
        return TimedSubscriber.operator(() -> new TimedRun(keeper));
    }

    /** {@return a view of a group whose calls this records, also if it does not observe the group} If it does, each is recorded once. */
    public ProcessGroup timed(ProcessGroup group) {
        return group.observedBy(this);
    }

    /**
     * {@return such a view whose calls count for a tag besides} It has no subscriptions of its own: the tag's row has its calls, and those of operators with the
     * tag.
     *
     * @throws InvalidCallException if the tag is empty
     */
    public ProcessGroup timed(ProcessGroup group, String tag) {
        return timed(group).observedBy(tagged(tag));
    }

    private Tagged tagged(String tag) {
        if (tag.isEmpty()) {
            throw new InvalidCallException("a timing operator got no tag: tag=; give a text to tell it from others by");
        }
        return tagged.get(tag, Tagged::new);
    }

    /** Records the calls of operators and views with a tag. */
    private final class Tagged implements Timekeeper {

        private final String tag;

        private Tagged(String tag) {
            this.tag = tag;
        }

        @Override
        public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
            if (!isOn || !filter.takes(call)) {
                return;
            }
            record(call, error, tookNanos(call, nanos), tag);
            KindRecord own = table.timed(tag);
            if (own != null) {
                own.heard(call, error);
            }
        }

        @Override
        public void over(long nanos, @Nullable Throwable error, long calls) {
            KindRecord own = isOn ? table.timed(tag) : null;
            if (own != null) {
                own.ran(nanos, error, calls > 0);
            }
        }

        @Override
        public boolean wantsCallSites() {
            return options.debug();
        }
    }

    /** The caller of each call is of interest where calls are told apart by all that is known of them. */
    @Override
    public boolean wantsCallSites() {
        return options.debug();
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        if (isOn && filter.takes(call)) {
            long took = tookNanos(call, nanos);
            record(call, error, took, NO_TAG);
            if (options.verbose()) {
                LOG.info("{}", CallLine.of(call, error, took, options.debug()));
            }
        }
    }

    @Override
    public void happened(CommEvent event) {
        if (atEnd != null && event instanceof CommEvent.WorldLeft left) {
            if (rank == CommsSummary.NO_RANK) {
                rank = left.rank();
            }
            atEnd.left();
        }
    }

    static long tookNanos(ObservedCall call, long endedAt) {
        return Math.max(0, endedAt - call.subscribedAt());
    }

    private void record(ObservedCall call, @Nullable Throwable error, long nanos, String tag) {
        if (rank == CommsSummary.NO_RANK) {
            rank = call.rank();
            worldSize = call.worldSize().orElse(0);
        }
        KindRecord record = table.of(call, call.algorithm().equals(OFF) ? LoggedKind.OFF : call.backend(), tag);
        if (record == null) {
            return;
        }
        if (error == null) {
            record.succeeded(nanos, call);
        } else {
            record.failed(error);
        }
        if (atEnd != null) {
            atEnd.recorded();
        }
    }
}
