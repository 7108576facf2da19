package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import reactor.core.publisher.Mono;

/**
 * The base of the contracts over worlds of ranks: opening worlds, waiting with a bound, and the leak check after each case.
 *
 * <p>A transport extends each contract and says by an interface of its own, which extends {@link Worlds}, where its worlds come from.
 */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class WorldContract implements Worlds {

    /** Longer than any case should take, so that a case that hangs is a case that fails. */
    public static final Duration LIMIT = Duration.ofSeconds(30);

    /** What the JVM may take for its compiler, outside the heap, in as long as a class lasts. */
    private static final long COMPILER_BYTES = 64 << 20;

    static {
        BlockHoundRuns.begin();
    }

    private final Queue<World> open = new ConcurrentLinkedQueue<>();
    private final Queue<Tensor> kept = new ConcurrentLinkedQueue<>();
    private final Map<Integer, World> shared = new HashMap<>();
    private LeakCheck leaksOfAll = LeakCheck.begin();
    private LeakCheck leaks = LeakCheck.begin();
    private boolean isShared;

    /** Ranks that have found each other, all in this JVM. */
    public interface World extends AutoCloseable {

        /** {@return the group of all ranks as each rank sees it; index = rank} */
        List<ProcessGroup> groups();

        /** Closes every rank's group and all that the world holds. Idempotent. */
        @Override
        void close();

        /** {@return the ranks of a local world} */
        static World of(LocalWorld world) {
            return new World() {
                @Override
                public List<ProcessGroup> groups() {
                    return world.groups();
                }

                @Override
                public void close() {
                    world.close();
                }
            };
        }
    }

    /** {@return a new world that is closed after the case} */
    protected final List<ProcessGroup> world(int size) {
        return closedAfterwards(open(size));
    }

    /** {@return the ranks of that world, which is closed after the case} */
    protected final List<ProcessGroup> closedAfterwards(World world) {
        open.add(world);
        return world.groups();
    }

    /**
     * Runs a case in a world that the class's other cases of that size have as well: opening one takes longer than a small case. So the case
     * ends with calls that succeed, and what the world holds is compared after the last of them. A case that fails takes its world with it, after
     * it: what the case has open may hold the world, and the wait for that must not hide why the case failed.
     */
    protected final void inSharedWorld(int size, Consumer<List<ProcessGroup>> part) {
        isShared = true;
        World world = shared.computeIfAbsent(size, this::open);
        boolean isGood = false;
        try {
            part.accept(world.groups());
            isGood = true;
        } finally {
            if (!isGood) {
                shared.remove(size);
                open.add(world);
            }
        }
    }

    /** Waits until another thread has done its part; a case that hangs is a case that fails. */
    public static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** {@return that tensor, which is closed after the case, whatever was made of it} */
    protected final Tensor closedAfterwards(Tensor tensor) {
        kept.add(tensor);
        return tensor;
    }

    @BeforeAll
    protected final void beginLeakCheckOfAll() {
        leaksOfAll = LeakCheck.begin();
    }

    @BeforeEach
    protected final void beginLeakCheck() {
        isShared = false;
        leaks = LeakCheck.begin();
    }

    @AfterEach
    protected final void closeWorldsAndCheckLeaks() {
        // A world that fails to close is not closed again after the next case, which would fail, too.
        for (World each = open.poll(); each != null; each = open.poll()) {
            each.close();
        }
        for (Tensor each = kept.poll(); each != null; each = kept.poll()) {
            each.close();
        }
        if (isShared) {
            leaks.endOfTensors();
        } else {
            leaks.end(slackBytes());
        }
    }

    @AfterAll
    protected final void closeSharedWorldsAndRequireTensorsClosed() {
        if (!shared.isEmpty()) {
            shared.values().forEach(World::close);
            shared.clear();
            leaksOfAll.end(slackBytes() + COMPILER_BYTES);
        }
        LeakCheck.collectAtEndOfClass();
    }

    /** The end of a call on one rank. */
    public sealed interface Outcome {

        /** It succeeded. */
        record Success(Work work) implements Outcome {}

        /** It failed. */
        record Failure(Throwable error) implements Outcome {}

        /** {@return the error; requires that there is one of that type} */
        default <E extends Throwable> E error(Class<E> type) {
            assertThat(this).as("a failed call").isInstanceOf(Failure.class);
            Throwable error = ((Failure) this).error();
            assertThat(error).isInstanceOf(type);
            return type.cast(error);
        }

        /** {@return the work; requires that there is some} */
        default Work work() {
            assertThat(this).as("a call that succeeded").isInstanceOf(Success.class);
            return ((Success) this).work;
        }
    }

    /** {@return what will have become of a call that is subscribed to now} */
    public static CompletableFuture<Outcome> begin(Mono<Work> call) {
        CompletableFuture<Outcome> end = new CompletableFuture<>();
        call.subscribe(
                work -> end.complete(new Outcome.Success(work)),
                error -> end.complete(new Outcome.Failure(error)),
                () -> {
                    // An error is dear to make, and most calls have given their value by now.
                    if (!end.isDone()) {
                        end.completeExceptionally(new AssertionError("a call ended with neither a value nor an error"));
                    }
                });
        return end;
    }

    /**
     * Ends when the ranks have dealt with what others sent them before. A late rank that has all elements but not the news that the others
     * have given up would succeed, and rightly.
     */
    public static void requireTold(List<ProcessGroup> groups) {
        all(groups, group -> group.named("told").barrier());
    }

    /** {@return what has become of a call, within {@link #LIMIT}} */
    public static Outcome end(CompletableFuture<Outcome> begun) {
        try {
            return begun.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while a call was under way", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("a call did not end: limit=" + LIMIT, e);
        }
    }

    /** {@return what became of every rank's call, which was made and waited for; index = rank} */
    public static List<Outcome> outcomes(List<ProcessGroup> groups, Function<ProcessGroup, Mono<Work>> call) {
        List<Mono<Work>> calls = groups.stream().map(call).toList();
        List<CompletableFuture<Outcome>> begun =
                calls.stream().map(WorldContract::begin).toList();
        return begun.stream().map(WorldContract::end).toList();
    }

    /** As {@link #outcomes}, and requires that all succeed. */
    public static List<Work> all(List<ProcessGroup> groups, Function<ProcessGroup, Mono<Work>> call) {
        return outcomes(groups, call).stream().map(Outcome::work).toList();
    }

    /** Subscribes to all ranks' calls, each rank's in a random order of its own, and waits for all. */
    public static void allShuffled(List<? extends List<Mono<Work>>> calls, Random random) {
        List<Mono<Work>> order = new ArrayList<>();
        for (List<Mono<Work>> ofOneRank : calls) {
            List<Mono<Work>> own = new ArrayList<>(ofOneRank);
            Collections.shuffle(own, random);
            order.addAll(own);
        }
        Mono.when(order).block(LIMIT);
    }

    /** {@return the work of the last rank's barrier, which is begun when all others have been found to wait for it} */
    public static Work requireHeld(List<ProcessGroup> groups, List<Mono<Work>> barriers, int late) {
        List<CompletableFuture<Outcome>> early = new ArrayList<>();
        for (int rank = 0; rank < groups.size(); rank++) {
            if (rank != late) {
                early.add(begin(barriers.get(rank)));
            }
        }
        all(groups, group -> group.named("meanwhile").barrier());
        assertThat(early).as("barriers before rank %d has come", late).noneMatch(CompletableFuture::isDone);
        Work work = end(begin(barriers.get(late))).work();
        early.forEach(each -> end(each).work());
        return work;
    }
}
