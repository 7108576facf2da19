package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.Depth;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Groups whose engine opens something for each, with its members or with all ranks of what it was made of: openings and freeings stand in the order. */
class OpenedGroupsTest extends StrictWorlds {

    private static LocalWorld open(String backend, int size) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(size, settings.withBackend(backend));
    }

    private static void requireWorks(List<ProcessGroup> members) {
        List<Work> works = onAll(members, group -> sum(group, floats(2, 1)));
        assertThat(works).hasSize(members.size()).extracting(Work::backend).doesNotContain("links");
    }

    private static List<ProcessGroup> groups(LocalWorld world, int... ranks) {
        return onAll(world.groups(), group -> group.newGroup(ranks));
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void overlappingGroups_subscribedInAnyOrder_areOpenedInOne(String backend) {
        Random random = new Random(3);
        try (LocalWorld world = open(backend, 4)) {
            List<List<ProcessGroup>> all = List.of(
                    groups(world, 0, 1, 2),
                    groups(world, 3, 1),
                    groups(world, 2, 0),
                    groups(world, 1, 2, 3),
                    List.copyOf(world.groups()));
            for (int round = 0; round < 5; round++) {
                List<Mono<?>> calls = new ArrayList<>();
                all.forEach(members -> members.forEach(group -> calls.add(sum(group, floats(2, 1)))));
                Collections.shuffle(calls, random);
                Mono.when(calls).block(LIMIT);
            }
            all.subList(0, 4).forEach(members -> members.forEach(ProcessGroup::close));
            requireWorks(world.groups());
        }
    }

    /** Ranks that are no members take part without a call, also after closing the parent; and a parent that was never used stands for nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void nestedGroups_areOpened_whoeverHasClosedTheirParents(String backend) {
        for (boolean isParentUsed : new boolean[] {true, false}) {
            try (LocalWorld world = open(backend, 4)) {
                List<ProcessGroup> three = groups(world, 0, 1, 2);
                if (isParentUsed) {
                    requireWorks(three);
                }
                List<ProcessGroup> two = onAll(three, group -> group.newGroup(1, 2));
                three.getFirst().close();
                requireWorks(two);
                three.forEach(ProcessGroup::close);
                List<ProcessGroup> one = onAll(two, group -> group.newGroup(0));
                two.forEach(ProcessGroup::close);
                requireWorks(one);
                requireWorks(world.groups());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void rankThatHasLeft_isNotWaitedFor(String backend) {
        try (LocalWorld world = open(backend, 4)) {
            List<ProcessGroup> three = groups(world, 0, 1, 2);
            requireWorks(three);
            List<ProcessGroup> two = onAll(three, group -> group.newGroup(0, 1));
            List<ProcessGroup> others = groups(world, 1, 2);
            world.groups().get(3).close();
            requireWorks(two);
            requireWorks(others);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void abortedGroup_leavesTheOthersOpen(String backend) {
        try (LocalWorld world = open(backend, 3)) {
            List<ProcessGroup> pair = groups(world, 1, 2);
            List<ProcessGroup> other = groups(world, 2, 0);
            requireWorks(pair);
            pair.getFirst().abort("enough");
            assertThat(errors(pair, group -> sum(group, floats(1, 1))))
                    .hasOnlyElementsOfType(GroupClosedException.class);
            requireWorks(other);
            requireWorks(world.groups());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void groupClosedByOneMember_isFreedWhenAllHaveClosed(String backend) {
        try (LocalWorld world = open(backend, 3)) {
            List<ProcessGroup> pair = groups(world, 1, 2);
            requireWorks(pair);
            pair.getFirst().close();
            assertThat(error(sum(pair.getLast(), floats(1, 1))).block(LIMIT)).isInstanceOf(PeerLostException.class);
            pair.getLast().close();
            requireWorks(groups(world, 1, 2));
        }
    }

    /** More than there can be at a time: each is freed when its members have closed it. */
    @ParameterizedTest
    @ValueSource(strings = {"strict", "splitting"})
    void thousandsOfGroups_oneAfterAnother_pass(String backend) {
        int count = Depth.isWhole() ? 5_000 : StrictGroups.MOST + 100;
        try (LocalWorld world = open(backend, 2)) {
            for (int i = 0; i < count; i++) {
                List<ProcessGroup> pair = groups(world, i % 2, 1 - i % 2);
                Flux.fromIterable(pair)
                        .flatMap(group -> sum(group, floats(1, 1)).doFinally(end -> group.close()))
                        .blockLast(LIMIT);
            }
            assertThat(Objects.requireNonNull(world.groups()
                            .getFirst()
                            .barrier()
                            .and(world.groups().getLast().barrier())
                            .thenReturn(true)
                            .block(LIMIT)))
                    .isTrue();
        }
    }
}
