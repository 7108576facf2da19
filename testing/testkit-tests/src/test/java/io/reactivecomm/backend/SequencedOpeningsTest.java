package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.RisingDeadline;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Groups that an engine has to open, by their members or split from others. */
class SequencedOpeningsTest extends StrictWorlds {

    @AfterEach
    void endTroubles() {
        StrictGroups.TROUBLES.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void parentsThatAreClosedFirst_holdNothingUp(String engine) {
        try (LocalWorld world = world(3, engine)) {
            for (int closers : new int[] {1, 3}) {
                List<ProcessGroup> parent = onAll(world.groups(), group -> group.newGroup(0, 1, 2));
                onAll(parent, group -> sum(group, floats(1, 1)));
                List<ProcessGroup> pair = onAll(parent, group -> group.newGroup(0, 1));
                // The last one is no member of the pair, and helps to open it.
                parent.reversed().subList(0, closers).forEach(ProcessGroup::close);
                onAll(pair, group -> sum(group, floats(1, 1)));
                pair.forEach(ProcessGroup::close);
                parent.forEach(ProcessGroup::close);
            }
            onAll(world.groups(), group -> sum(group, floats(1, 1)));
        }
    }

    /** It leaves while it helps the others. */
    @Test
    void rankThatLeavesDuringAnOpening_leavesTheMembersAlone() {
        try (LocalWorld world = world(3, "splitting")) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(0, 1));
            Mono<Void> isBegun =
                    begun(StrictEngine.ENDLESS_BEGUN.asFlux().take(3).then());
            StrictGroups.TROUBLES.put(List.of(0, 1), StrictGroups.Trouble.ENDLESS);
            List<Mono<Work>> sums =
                    pair.stream().map(group -> begun(sum(group, floats(1, 1)))).toList();
            isBegun.block(LIMIT);
            StrictGroups.TROUBLES.clear();
            world.groups().getLast().close();
            assertThat(Flux.concat(sums).collectList().block(LIMIT)).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void openingThatFails_endsTheGroupOnAllMembers_andNoOther(String engine) {
        try (LocalWorld world = world(3, engine)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(2, 1));
            StrictGroups.TROUBLES.put(List.of(2, 1), StrictGroups.Trouble.FAILS);
            for (int i = 0; i < 2; i++) {
                assertThat(errors(pair, group -> sum(group, floats(1, 1))))
                        .hasSize(2)
                        .allSatisfy(error -> assertThat(error)
                                .isInstanceOf(CommException.class)
                                .hasMessageContaining("the strict double cannot open it"));
            }
            onAll(world.groups(), group -> sum(group, floats(1, 1)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void abort_duringAnOpening_endsIt(String engine) {
        try (LocalWorld world = world(3, engine)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(2, 1));
            StrictGroups.TROUBLES.put(List.of(2, 1), StrictGroups.Trouble.ENDLESS);
            Mono<Void> isBegun =
                    begun(StrictEngine.ENDLESS_BEGUN.asFlux().take(2).then());
            List<Mono<Throwable>> ends = pair.stream()
                    .map(group -> begun(error(sum(group, floats(1, 1)))))
                    .toList();
            isBegun.block(LIMIT);
            pair.getFirst().abort("enough");
            assertThat(Flux.concat(ends).collectList().block(LIMIT))
                    .hasSize(2)
                    .hasOnlyElementsOfType(GroupClosedException.class);
            onAll(world.groups(), group -> sum(group, floats(1, 1)));
        }
    }

    /** Also by an engine that splits groups from others: one that has been aborted is not one of them. */
    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void abortedWorld_isNoParent(String engine) {
        try (LocalWorld world = world(3, engine)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(2, 1));
            world.groups().getFirst().abort("enough");
            assertThat(errors(world.groups(), ProcessGroup::barrier)).hasOnlyElementsOfType(GroupClosedException.class);
            onAll(pair, group -> sum(group, floats(4, 1)));
        }
    }

    @Test
    void abortOfTheParent_whileAGroupIsSplitFromIt_leavesTheMembersAlone() {
        try (LocalWorld world = world(3, "splitting")) {
            List<ProcessGroup> parent = onAll(world.groups(), group -> group.newGroup(2, 1, 0));
            onAll(parent, group -> sum(group, floats(1, 1)));
            List<ProcessGroup> pair = onAll(parent, group -> group.newGroup(0, 1));
            StrictGroups.TROUBLES.put(List.of(2, 1), StrictGroups.Trouble.ENDLESS);
            Mono<Void> isBegun =
                    begun(StrictEngine.ENDLESS_BEGUN.asFlux().take(3).then());
            List<Mono<Work>> sums =
                    pair.stream().map(group -> begun(sum(group, floats(1, 1)))).toList();
            isBegun.block(LIMIT);
            StrictGroups.TROUBLES.clear();
            parent.getLast().abort("enough");
            assertThat(Flux.concat(sums).collectList().block(LIMIT)).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void deadline_duringAnOpening_strikes(String engine) {
        RisingDeadline.untilInTime(deadline -> strikesDuringAnOpening(engine, deadline));
    }

    /** {@return false if the deadline struck before the opening began} */
    private static boolean strikesDuringAnOpening(String engine, Duration deadline) {
        StrictGroups.TROUBLES.clear();
        try (LocalWorld world = world(3, engine)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(2, 1));
            StrictGroups.TROUBLES.put(List.of(2, 1), StrictGroups.Trouble.ENDLESS);
            List<Throwable> errors = errors(pair, group -> sum(group.timeout(deadline), floats(1, 1)));
            assertThat(errors).hasSize(2).hasOnlyElementsOfType(CommTimeoutException.class);
            return errors.stream().allMatch(error -> error.getMessage().contains("the group is being opened"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void abort_ofAGroupWithoutCalls_reachesTheEngine(String engine) {
        try (LocalWorld world = world(3, engine)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(2, 1));
            Mono<List<String>> abandoned = begun(StrictEngine.ABANDONED
                    .asFlux()
                    .filter(each -> each.endsWith(" of [2, 1]"))
                    .distinct()
                    .take(2)
                    .collectSortedList());
            pair.getFirst().abort("enough");
            assertThat(abandoned.block(LIMIT)).containsExactly("1 of [2, 1]", "2 of [2, 1]");
        }
    }
}
