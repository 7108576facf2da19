package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The ends of groups of an engine that refuses any disorder. */
class SequencedGroupsTest extends StrictWorlds {

    @Test
    void abort_failsItsGroup_andNoOther() {
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(1, 2));
            Mono<Throwable> waiting = begun(error(sum(pair.getFirst(), floats(1, 1))));
            pair.getLast().abort("enough");
            assertThat(waiting.block(LIMIT))
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContaining("reason=enough");
            assertThat(errors(pair, group -> sum(group, floats(1, 1))))
                    .hasOnlyElementsOfType(GroupClosedException.class);
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }

    @Test
    void abortOfTheWorld_leavesOtherGroups() {
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(1, 2));
            world.groups().getLast().abort("enough");
            // Over links, so that each rank has heard of the abort.
            assertThat(errors(world.groups(), ProcessGroup::barrier)).hasOnlyElementsOfType(GroupClosedException.class);
            assertThat(errors(world.groups(), group -> sum(group, floats(1, 1))))
                    .hasOnlyElementsOfType(GroupClosedException.class);
            onAll(pair, group -> sum(group, floats(4, 1)));
        }
    }

    /** The links are up: of what only the engine knows they hear from it, whatever the cause. */
    @Test
    void processThatIsGone_forTheEngineAlone_endsTheGroupOverLinksToo() {
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(1, 2));
            List<Mono<Throwable>> ends =
                    pair.stream().map(group -> begun(error(group.ended()))).toList();
            assertThat(errors(pair, group -> sum(group, floats(StrictEngine.BEREFT, 1))))
                    .hasOnlyElementsOfType(PeerLostException.class);
            ends.forEach(end -> assertThat(end.block(LIMIT))
                    .isInstanceOf(PeerLostException.class)
                    .hasMessageContaining("says the strict double"));
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }

    @Test
    void memberThatClosesItsGroup_failsWhatNeedsIt() {
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> pair = onAll(world.groups(), group -> group.newGroup(1, 2));
            pair.getLast().close();
            assertThat(error(sum(pair.getFirst(), floats(1, 1))).block(LIMIT))
                    .isInstanceOf(PeerLostException.class)
                    .hasMessageContaining("rank 2 has closed the group");
            assertThat(error(sum(pair.getLast(), floats(1, 1))).block(LIMIT)).isInstanceOf(GroupClosedException.class);
            onAll(world.groups(), group -> sum(group, floats(4, 1)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void rankThatLeaves_failsWhatNeedsIt(int leaver) {
        try (LocalWorld world = world(3)) {
            List<ProcessGroup> groups = world.groups();
            List<ProcessGroup> pair = onAll(groups, group -> group.newGroup(1, 2 - leaver));
            onAll(pair, group -> sum(group, floats(1, 1)));
            Mono<Throwable> waiting = begun(error(sum(groups.get(1), floats(1, 1))));
            groups.get(leaver).close();
            assertThat(waiting.block(LIMIT))
                    .isInstanceOf(PeerLostException.class)
                    .hasMessageContaining("rank " + leaver);
            assertThat(error(sum(groups.get(leaver), floats(1, 1))).block(LIMIT))
                    .isInstanceOf(GroupClosedException.class);
            if (leaver != 0) {
                onAll(pair, group -> sum(group, floats(1, 1)));
            }
        }
    }

    @Test
    void closeOfTheWorld_failsWhatWaitsAndWhatRuns() {
        List<Mono<Throwable>> pending = new ArrayList<>();
        try (LocalWorld world = world(2)) {
            for (ProcessGroup group : world.groups()) {
                pending.add(begun(error(sum(group, floats(StrictEngine.ENDLESS, 1)))));
                pending.add(begun(error(sum(group.named("rank " + group.rank()), floats(1, 1)))));
            }
        }
        assertThat(Flux.concat(pending).collectList().block(LIMIT))
                .allSatisfy(error ->
                        assertThat(error).isInstanceOfAny(GroupClosedException.class, PeerLostException.class));
    }
}
