package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.RisingDeadline;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** The barrier that tells who did not come: on every rank, exactly. */
public abstract class BarrierContract extends WorldContract {

    @Tag("smoke")
    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 13})
    void monitoredBarrier_allCome_holdsUntilTheLast(int size) {
        List<ProcessGroup> groups = world(size);
        for (int late = 0; late < Math.min(size, 3); late++) {
            List<Mono<Work>> barriers = groups.stream()
                    .map(group -> group.monitoredBarrier(LIMIT, true))
                    .toList();
            assertThat(requireHeld(groups, barriers, late).operation()).isEqualTo("monitored barrier");
        }
    }

    /** The ranks that do not come, and whether all of them are to be named. */
    record Missing(boolean waitAllRanks, Integer... ranks) {

        List<Integer> named() {
            return waitAllRanks ? List.of(ranks) : List.of(ranks[0]);
        }
    }

    final Stream<Missing> missing() {
        return Stream.of(
                new Missing(true, 3),
                new Missing(true, 0),
                new Missing(false, 2),
                new Missing(true, 1, 3),
                new Missing(false, 1, 3),
                new Missing(true, 0, 2),
                new Missing(false, 0, 2),
                new Missing(true, 0, 1, 2));
    }

    @ParameterizedTest
    @MethodSource("missing")
    void monitoredBarrier_someDoNotCome_namesThemOnEveryRank(Missing missing) {
        List<ProcessGroup> groups = world(4);
        RisingDeadline.untilInTime(
                deadline -> namedByAll(groups, missing, deadline).equals(missing.named()));
    }

    /**
     * {@return whom all ranks' errors name} Until the deadline, half of which is over when the last rank asks the others, they have to answer.
     * It counts once they are there, however long that takes.
     */
    private static List<Integer> namedByAll(List<ProcessGroup> groups, Missing missing, Duration deadline) {
        List<Integer> absent = List.of(missing.ranks());
        List<Integer> present = IntStream.range(0, 4)
                .boxed()
                .filter(rank -> !absent.contains(rank))
                .toList();
        int last = present.getLast();
        List<Mono<Work>> barriers = groups.stream()
                .map(group -> group.monitoredBarrier(group.rank() == last ? deadline : LIMIT, missing.waitAllRanks()))
                .toList();
        List<CompletableFuture<Outcome>> come = new ArrayList<>();
        present.subList(0, present.size() - 1).forEach(rank -> come.add(begin(barriers.get(rank))));
        requireTold(groups);
        come.add(begin(barriers.get(last)));

        List<Integer> named =
                end(come.getLast()).error(CommTimeoutException.class).missing();
        for (CompletableFuture<Outcome> each : come) {
            CommTimeoutException error = end(each).error(CommTimeoutException.class);
            assertThat(error.missing()).isEqualTo(named);
            assertThat(error)
                    .hasMessageContaining("monitored barrier timed out")
                    .hasMessageContaining("missing=" + named);
        }
        requireTold(groups);
        // Those who come late are told at once.
        absent.forEach(rank -> assertThat(end(begin(barriers.get(rank)))
                        .error(CommTimeoutException.class)
                        .missing())
                .isEqualTo(named));
        all(groups, ProcessGroup::barrier);
        return named;
    }

    @Test
    void monitoredBarrier_ofATimeoutThatIsNone_isRefusedAtOnce() {
        ProcessGroup group = world(1).getFirst();
        for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
            assertThatThrownBy(() -> group.monitoredBarrier(timeout, true))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
