package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** The rank and world that threads of the library have in the log's context: in a world with more ranks than loops. */
class LogRankTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final int RANKS = 2 * Runtime.getRuntime().availableProcessors() + 1;

    @AfterEach
    void clear() {
        MDC.clear();
    }

    private static String present() {
        return MDC.get(LogRank.RANK) + "/" + MDC.get(LogRank.WORLD);
    }

    private static String meant(int rank) {
        return rank + "/" + RANKS;
    }

    private static <T> List<T> all(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(call, groups.size())
                .collectList()
                .block(LIMIT));
    }

    /** A place in the world's code, and what the log would show there. */
    private record Shown(String where, String meant, String shown) {}

    /** Notes what observers' threads have. */
    private static final class Watcher implements CommObserver {

        private final List<Shown> shown = new CopyOnWriteArrayList<>();

        @Override
        public void subscribed(ObservedCall call, ContextView context) {
            shown.add(new Shown(Thread.currentThread().getName(), meant(call.rank()), present()));
        }

        @Override
        public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
            shown.add(new Shown("ended", meant(call.rank()), present()));
        }
    }

    @Test
    void subscribersAndObservers_haveTheRank_onALoopOfSeveral() {
        Watcher watcher = new Watcher();
        try (LocalWorld world = ReactiveComm.local(RANKS)) {
            world.groups().forEach(group -> group.observe(watcher));
            List<List<String>> shown = all(
                    world.groups(),
                    group -> group.barrier().map(work -> present()).repeat(9).collectList());
            for (int rank = 0; rank < RANKS; rank++) {
                assertThat(shown.get(rank)).hasSize(10).containsOnly(meant(rank));
            }
        }
        assertThat(watcher.shown)
                .filteredOn(each -> each.where.equals("ended"))
                .hasSize(10 * RANKS)
                .allMatch(each -> each.shown.equals(each.meant));
    }

    @Test
    void worldsBesideEachOther_haveEachItsOwn() {
        try (LocalWorld one = ReactiveComm.local(1);
                LocalWorld two = ReactiveComm.local(2)) {
            assertThat(all(one.groups(), group -> group.barrier().map(work -> present())))
                    .containsExactly("0/1");
            assertThat(all(two.groups(), group -> group.barrier().map(work -> present())))
                    .containsExactly("0/2", "1/2");
        }
    }

    /** The program's thread keeps what it had, although closing logs on it. */
    @Test
    void threadsOfTheProgram_areLeftAlone() {
        MDC.put(LogRank.RANK, "mine");
        MDC.put("other", "kept");
        try (LocalWorld world = ReactiveComm.local(2)) {
            all(world.groups(), ProcessGroup::barrier);
        }
        assertThat(present()).isEqualTo("mine/null");
        assertThat(MDC.get("other")).isEqualTo("kept");
    }

    @Test
    void linesOfTheLibrary_haveTheRank() {
        Lines lines = new Lines();
        Logger library = (Logger) LoggerFactory.getLogger("io.reactivecomm");
        Level before = library.getLevel();
        lines.start();
        library.addAppender(lines);
        library.setAdditive(false);
        library.setLevel(Level.INFO);
        try (LocalWorld world = ReactiveComm.local(2)) {
            world.groups().getLast().observe(new Failing());
            all(world.groups(), ProcessGroup::barrier);
        } finally {
            library.detachAppender(lines);
            library.setAdditive(true);
            library.setLevel(before);
        }
        Map<String, String> first = Map.of(LogRank.RANK, "0", LogRank.WORLD, "2");
        Map<String, String> second = Map.of(LogRank.RANK, "1", LogRank.WORLD, "2");
        assertThat(lines.contexts("an observer threw")).as("on the loop").containsExactly(second);
        assertThat(lines.contexts("left the world"))
                .as("on the thread that closes")
                .containsExactlyInAnyOrder(first, second);
    }

    /** Has the loop log something. */
    private static final class Failing implements CommObserver {

        @Override
        public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
            throw new IllegalStateException("planted");
        }
    }

    /** Keeps lines of the log with their contexts. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {

        private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent line) {
            line.prepareForDeferredProcessing();
            lines.add(line);
        }

        private Stream<Map<String, String>> contexts(String text) {
            return lines.stream()
                    .filter(line -> line.getFormattedMessage().startsWith(text))
                    .map(ILoggingEvent::getMDCPropertyMap);
        }
    }

    /** Large objects are decoded beside the loop, on threads that work for all ranks. */
    @Test
    void decodersBesideTheLoop_haveTheRank() {
        try (LocalWorld world = ReactiveComm.local(RANKS)) {
            String large = "x".repeat(300_000);
            List<List<String>> shown = all(
                    world.groups(),
                    group -> group.broadcastObject(large, 0, new Showing()).map(List::of));
            for (int rank = 0; rank < RANKS; rank++) {
                assertThat(shown.get(rank)).containsExactly("rcomm-aside " + meant(rank));
            }
        }
    }

    /** Decodes whatever comes to what the log would show. */
    private static final class Showing implements ObjectCodec<String> {

        @Override
        public byte[] encode(String value) {
            return value.getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public String decode(byte[] bytes) {
            return Thread.currentThread().getName() + " " + present();
        }
    }

    /** Buckets of several gradients are packed on threads that work for all ranks, and are reduced from there. */
    @Test
    void packingThreads_haveTheRank() {
        Watcher watcher = new Watcher();
        try (LocalWorld world = ReactiveComm.local(2)) {
            world.groups().forEach(group -> group.observe(watcher));
            all(
                    world.groups(),
                    group -> GradientBuckets.average(group)
                            .apply(Flux.just("weight", "bias")
                                    .map(name -> new Gradient(name, Tensor.of(new float[10]))))
                            .collectList());
        }
        assertThat(watcher.shown.stream().filter(each -> each.where.startsWith("gradient-buckets")))
                .isNotEmpty()
                .allMatch(each -> each.shown.equals(each.meant.replace("/" + RANKS, "/2")));
    }

    @Test
    void run_givesTheEntriesForOneTask() {
        LogRank rank = new LogRank(3, 4);
        rank.run(() -> {
            assertThat(present()).isEqualTo("3/4");
            assertThat(new LogRank(1, 2).<String>get(LogRankTest::present)).isEqualTo("1/2");
            assertThat(present()).isEqualTo("3/4");
        });
        assertThat(present()).isEqualTo("null/null");
        assertThatThrownBy(() -> rank.run(() -> {
                    throw new IllegalStateException("of the task");
                }))
                .hasMessage("of the task");
        assertThat(present()).isEqualTo("null/null");
        assertThat(rank).hasToString("rcomm.rank=3, rcomm.world=4");
    }

    /** Of a smaller group the rank and size are the world's. */
    @Test
    void rankOfAGroup_isTheWorlds() {
        try (LocalWorld world = ReactiveComm.local(3)) {
            List<ProcessGroup> made = all(world.groups().subList(0, 3), group -> group.newGroup(2, 1));
            assertThat(made)
                    .extracting(group -> LogRank.of(group.named("layer1")).toString())
                    .containsExactlyInAnyOrder("rcomm.rank=2, rcomm.world=3", "rcomm.rank=1, rcomm.world=3");
        }
    }
}
