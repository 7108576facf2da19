package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.RisingDeadline;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Observers that a world's configuration names. */
class WorldObserverTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Ends ends = new Ends();

    /** Keeps what has ended, and what happened. */
    private static final class Ends implements CommObserver {

        private final List<ObservedCall> calls = new CopyOnWriteArrayList<>();
        private final List<CommEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
            calls.add(call);
        }

        @Override
        public void happened(CommEvent event) {
            events.add(event);
        }
    }

    private LocalWorld world(int size) {
        return ReactiveComm.local(
                size, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withObserver(ends));
    }

    private static <T> List<T> all(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(call, groups.size())
                .collectList()
                .block(LIMIT));
    }

    @Test
    void configuration_observesAllGroups_butNotWhatOpensTheWorld() {
        try (LocalWorld world = world(2)) {
            assertThat(ends.calls).isEmpty();
            List<ProcessGroup> made = all(world.groups(), group -> group.newGroup(1, 0));
            int before = ends.calls.size();
            all(made, group -> group.named("inner").barrier());
            List<ObservedCall> own = ends.calls.subList(before, ends.calls.size());
            assertThat(own).extracting(ObservedCall::label).containsExactly("inner#0", "inner#0");
            assertThat(own).extracting(ObservedCall::rank).containsExactlyInAnyOrder(0, 1);
            assertThat(own).extracting(ObservedCall::group).doesNotContain(0L);
        }
    }

    @Test
    void call_thatWaits_isAnEvent_withWhoIsLate() {
        RisingDeadline.untilInTime(this::isAnEventWithin);
    }

    /** {@return false if the deadline struck before the event} */
    private boolean isAnEventWithin(Duration deadline) {
        ends.events.clear();
        try (LocalWorld world = world(2)) {
            Mono<?> alone = world.groups().getFirst().timeout(deadline).barrier();
            assertThatThrownBy(() -> alone.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
            if (ends.events.isEmpty()) {
                return false;
            }
            assertThat(ends.events).first().isInstanceOfSatisfying(CommEvent.Waiting.class, waiting -> {
                assertThat(waiting.rank()).isZero();
                assertThat(waiting.label()).isEqualTo("#0");
                assertThat(waiting.text()).contains("barrier is waiting");
                assertThat(waiting.late().size() + waiting.silent().size()).isEqualTo(1);
            });
            return true;
        }
    }

    /** Whichever group it observes, and once. */
    @Test
    void world_thatIsLeft_isToldToObserversOfItsGroups() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            for (int round = 0; round < 2; round++) {
                all(world.groups(), group -> group.newGroup(1, 0)).getFirst().observe(ends);
            }
            assertThat(ends.events).isEmpty();
        }
        assertThat(ends.events)
                .singleElement()
                .isInstanceOfSatisfying(
                        CommEvent.WorldLeft.class,
                        left -> assertThat(left.rank()).isZero());
    }

    @Test
    void world_thatIsLeft_isTheLastThatEachRankTells() {
        try (LocalWorld world = world(2)) {
            all(world.groups(), ProcessGroup::barrier);
            assertThat(ends.events).isEmpty();
        }
        assertThat(ends.events)
                .hasOnlyElementsOfType(CommEvent.WorldLeft.class)
                .extracting(CommEvent::rank)
                .containsExactlyInAnyOrder(0, 1);
    }
}
