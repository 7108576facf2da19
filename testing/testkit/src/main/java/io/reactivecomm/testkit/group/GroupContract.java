package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.GroupWorld;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of groups that are made of a group: who is in them in which order, and what is told where ranks do not agree. */
public abstract class GroupContract extends GroupWorld {

    final Stream<int[]> memberLists() {
        return Stream.of(
                new int[] {0},
                new int[] {4},
                new int[] {1, 3},
                new int[] {3, 0, 4},
                new int[] {4, 3, 2, 1, 0},
                new int[] {0, 1, 2, 3, 4});
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("memberLists")
    void newGroup_ofSomeRanksInAnyOrder_isThatGroupForThem_andNoneForOthers(int[] ranks) {
        List<ProcessGroup> groups = world(5);
        List<Integer> order = IntStream.of(ranks).boxed().toList();

        List<@Nullable ProcessGroup> made = made(groups, group -> group.newGroup(ranks));

        for (int rank = 0; rank < 5; rank++) {
            ProcessGroup group = made.get(rank);
            assertThat(group != null)
                    .as("rank %d is a member of %s", rank, order)
                    .isEqualTo(order.contains(rank));
            if (group != null) {
                assertThat(group.ranks()).isEqualTo(order);
                assertThat(group.size()).isEqualTo(ranks.length);
                assertThat(group.rank()).isEqualTo(order.indexOf(rank));
                assertThat(group.globalRank(group.rank())).isEqualTo(rank);
                assertThat(group.generation()).isZero();
                assertThatThrownBy(() -> group.globalRank(ranks.length)).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
        requireTogether(members(made));
        requireTogether(groups);
    }

    @Test
    void newGroup_ranksChangedAfterAssembly_areThoseOfTheAssembly() {
        List<ProcessGroup> groups = world(3);
        int[] ranks = {2, 0};
        List<Mono<ProcessGroup>> making =
                groups.stream().map(group -> group.newGroup(ranks)).toList();
        Arrays.fill(ranks, 1);

        List<ProcessGroup> made = members(made(groups, group -> making.get(group.rank())));

        assertThat(made).hasSize(2).allMatch(group -> group.ranks().equals(List.of(2, 0)));
    }

    /** Ranks of which no group can be, and what is said of them. */
    record BadRanks(String text, int... ranks) {}

    final Stream<BadRanks> badRanks() {
        return Stream.of(
                new BadRanks("got no ranks"),
                new BadRanks("rank=3, size=3; name ranks from 0 to 2", 0, 3),
                new BadRanks("rank=-1", -1),
                new BadRanks("got a rank twice: rank=1, ranks=[1, 0, 1]", 1, 0, 1));
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("badRanks")
    void newGroup_ofBadRanksOnOneRank_failsOnAll_andTheNextIsMade(BadRanks bad) {
        List<ProcessGroup> groups = world(3);
        for (int culprit = 0; culprit < 3; culprit++) {
            int wrong = culprit;
            List<Throwable> errors = errors(
                    groups, group -> group.rank() == wrong ? group.newGroup(bad.ranks()) : group.newGroup(0, 1, 2));

            assertThat(errors)
                    .hasSize(3)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageStartingWith("new group ")
                            .hasMessageContaining(bad.text())
                            .hasMessageContaining("rank=" + wrong));
            requireTogether(group(groups, 2, 1));
        }
    }

    @Test
    void newGroup_ofDifferentRanks_tellsWhoCalledWhat() {
        List<ProcessGroup> groups = world(3);
        List<Throwable> errors =
                errors(groups, group -> group.rank() == 2 ? group.newGroup(0, 2) : group.newGroup(0, 1));

        // Of two ranks that agree the slower may not have issued it when the others differ.
        assertThat(errors)
                .hasSize(3)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("rank 0 ")
                        .hasMessageContaining("rank 1 ")
                        .hasMessageContaining("called new group([0, 1])")
                        .hasMessageContaining("rank 2 called new group([0, 2])"));
        requireTogether(group(groups, 0, 1));
    }

    @Test
    void newGroup_ofTheSameRanksInAnotherOrder_isADisagreement() {
        List<ProcessGroup> groups = world(2);

        assertThat(errors(groups, group -> group.newGroup(group.rank(), 1 - group.rank())))
                .hasSize(2)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("new group([1, 0])"));
    }

    @Test
    void newGroup_subscribedToTwice_isTwoGroups() {
        List<ProcessGroup> groups = world(3);
        List<Mono<ProcessGroup>> making =
                groups.stream().map(group -> group.newGroup(2, 0)).toList();

        List<ProcessGroup> one = members(made(groups, group -> making.get(group.rank())));
        List<ProcessGroup> two = members(made(groups, group -> making.get(group.rank())));

        requireTogether(one);
        one.forEach(ProcessGroup::close);
        requireTogether(two);
    }

    @Test
    void newGroup_ofNamedViews_matchesByName() {
        List<ProcessGroup> groups = world(2);
        List<Mono<ProcessGroup>> a =
                groups.stream().map(group -> group.named("a").newGroup(0, 1)).toList();
        List<Mono<ProcessGroup>> b =
                groups.stream().map(group -> group.named("b").newGroup(1, 0)).toList();

        // Each rank subscribes in an order of its own.
        List<ProcessGroup> made =
                Objects.requireNonNull(Flux.mergeSequential(List.of(a.get(0), b.get(1), b.get(0), a.get(1)), 4, 1)
                        .collectList()
                        .block(LIMIT));

        requireTogether(List.of(made.get(0), made.get(3)));
        requireTogether(List.of(made.get(2), made.get(1)));
    }

    @Test
    void split_byColorsAndKeys_ordersEachByKeyThenRank() {
        List<ProcessGroup> groups = world(6);
        int[] colors = {7, 0, 7, -1, 0, 7};
        int[] keys = {3, 1, -5, 0, 1, 3};

        List<@Nullable ProcessGroup> made =
                made(groups, group -> group.split(colors[group.rank()], keys[group.rank()]));

        assertThat(made.get(3)).isNull();
        for (int rank : new int[] {0, 2, 5}) {
            assertThat(Objects.requireNonNull(made.get(rank)).ranks()).containsExactly(2, 0, 5);
        }
        for (int rank : new int[] {1, 4}) {
            assertThat(Objects.requireNonNull(made.get(rank)).ranks()).containsExactly(1, 4);
        }
        requireTogether(members(List.of(
                Objects.requireNonNull(made.get(0)),
                Objects.requireNonNull(made.get(2)),
                Objects.requireNonNull(made.get(5)))));
        requireTogether(members(List.of(Objects.requireNonNull(made.get(4)), Objects.requireNonNull(made.get(1)))));
    }

    @Test
    void split_allNegative_isNoGroupAtAll() {
        List<ProcessGroup> groups = world(3);

        assertThat(made(groups, group -> group.split(-1, 0))).containsOnlyNulls();
        requireTogether(groups);
    }

    @Test
    void splitByHost_ofRanksOfOneHost_isOneGroup() {
        List<ProcessGroup> groups = world(3);

        List<ProcessGroup> made = members(made(groups, ProcessGroup::splitByHost));

        assertThat(made).hasSize(3).allMatch(group -> group.ranks().equals(List.of(0, 1, 2)));
        requireTogether(made);
    }

    @Test
    void groups_ofGroups_knowTheWorld() {
        List<ProcessGroup> groups = world(5);
        List<ProcessGroup> odd = group(groups, 4, 2, 1, 0);
        List<ProcessGroup> inner = group(odd, 3, 1, 0);
        List<ProcessGroup> innermost = group(inner, 2, 0);

        assertThat(inner).hasSize(3).allMatch(group -> group.ranks().equals(List.of(0, 2, 4)));
        assertThat(innermost).hasSize(2).allMatch(group -> group.ranks().equals(List.of(4, 0)));
        requireTogether(innermost);
        odd.forEach(ProcessGroup::close);
        requireTogether(inner);
        requireTogether(groups);
    }

    @Test
    void views_areHandedDown_andNamesAreNot() {
        List<ProcessGroup> groups = world(2);
        List<ProcessGroup> made = group(
                groups.stream().map(group -> group.named("x").timeout(LIMIT)).toList(), 0, 1);
        assertThat(made.getFirst().timeout()).isEqualTo(LIMIT);

        Outcome late = end(begin(made.getFirst().timeout(Duration.ofMillis(300)).barrier()));

        assertThat(late.error(CommTimeoutException.class))
                .hasMessageContaining("waited=0.3 s")
                .hasMessageContaining("call=#0");
    }
}
