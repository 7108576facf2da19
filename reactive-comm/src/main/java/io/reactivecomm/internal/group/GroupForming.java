package io.reactivecomm.internal.group;

import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Fingerprint;
import io.reactivecomm.collective.NewGroup;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Makes groups of some ranks of a group.
 *
 * <p>All ranks of the parent agree by a {@link NewGroup} call on who is in which group; a group's number follows from that call's identity, so
 * nobody has to hand numbers out. The engine knows a new group from the moment in which its own rank begins that call, and the call ends
 * for nobody before it has begun everywhere: so no member can be spoken to in a group that it does not know.
 *
 * <p><b>Threads.</b> Any.
 */
final class GroupForming {

    /** A color and a key. */
    private static final int ENTRY = 2;

    private final Assembler parent;
    private final CallOptions options;
    private final Function<GroupState, ProcessGroup> made;

    /** @param made makes what the caller gets of a group */
    GroupForming(Assembler parent, CallOptions options, Function<GroupState, ProcessGroup> made) {
        this.parent = parent;
        this.options = options;
        this.made = made;
    }

    Mono<ProcessGroup> newGroup(int... ranks) {
        int[] kept = Objects.requireNonNull(ranks, "a new group got no ranks; give those of its members")
                .clone();
        return GroupConversation.of(parent, options, "new group", talk -> agree(talk, () -> List.of(boxed(kept))));
    }

    private static List<Integer> boxed(int... ranks) {
        return IntStream.of(ranks).boxed().toList();
    }

    /** Ranks that give the same color are one group; a negative color is none. */
    Mono<ProcessGroup> split(long color, long key) {
        return GroupConversation.of(
                parent,
                options,
                "split",
                talk -> table(talk, color, key).flatMap(table -> agree(talk, () -> groups(table))));
    }

    Mono<ProcessGroup> splitByHost(String host) {
        return split(hash(host.getBytes(StandardCharsets.UTF_8)) & Long.MAX_VALUE, 0);
    }

    /** {@return every rank's color and key, one after the other} */
    private static Mono<long[]> table(GroupConversation talk, long color, long key) {
        return Mono.using(
                () -> List.of(Tensor.of(new long[] {color, key}), Tensor.of(new long[ENTRY * talk.size()])),
                tensors -> talk.next(() -> new AllGather(tensors.getFirst(), tensors.getLast()))
                        .map(work -> tensors.getLast().toLongArray()),
                tensors -> tensors.forEach(Tensor::close));
    }

    private static List<List<Integer>> groups(long[] table) {
        Map<Long, List<Integer>> byColor = new TreeMap<>();
        for (int rank = 0; rank < table.length / ENTRY; rank++) {
            if (table[ENTRY * rank] >= 0) {
                byColor.computeIfAbsent(table[ENTRY * rank], ignored -> new ArrayList<>())
                        .add(rank);
            }
        }
        byColor.values().forEach(ranks -> ranks.sort(Comparator.comparingLong(rank -> table[ENTRY * rank + 1])));
        return List.copyOf(byColor.values());
    }

    /** A group along each dimension. It ends in a barrier, so that a rank that gives fewer dimensions is found out. */
    Mono<GroupMesh> mesh(Dimension... dimensions) {
        Dimension[] kept = Objects.requireNonNull(dimensions, "a mesh got no dimensions; give one or more")
                .clone();
        return GroupConversation.<GroupMesh>of(
                parent,
                options,
                "mesh",
                talk -> lines(talk, kept)
                        .flatMap(lines -> talk.next(Barrier::new)
                                .doOnError(error -> lines.forEach(ProcessGroup::close))
                                .map(work -> new AxisGroups(List.of(kept), lines))));
    }

    private Mono<List<ProcessGroup>> lines(GroupConversation talk, Dimension... dimensions) {
        List<ProcessGroup> lines = new ArrayList<>();
        return Flux.range(0, Math.max(1, dimensions.length))
                .concatMap(axis -> agree(talk, () -> MeshLines.of(dimensions, axis, talk.size())))
                .doOnNext(lines::add)
                .doOnError(error -> lines.forEach(ProcessGroup::close))
                .then(Mono.fromSupplier(() -> List.copyOf(lines)));
    }

    /** Agrees with all ranks on those groups, and makes the one that this rank is in. */
    private Mono<ProcessGroup> agree(GroupConversation talk, Supplier<List<List<Integer>>> groups) {
        Pending pending = new Pending();
        return talk.next(() -> newGroup(groups.get(), pending, talk.rank()), key -> pending.state(parent.group(), key))
                .flatMap(work -> Mono.justOrEmpty(pending.state))
                .map(made)
                .doOnError(error -> pending.abandon(parent.driver()));
    }

    private static NewGroup newGroup(List<List<Integer>> groups, Pending pending, int rank) {
        List<Integer> members = new ArrayList<>();
        List<Integer> ends = new ArrayList<>();
        for (List<Integer> group : groups) {
            members.addAll(group);
            ends.add(members.size());
            if (group.contains(rank)) {
                pending.members = group;
            }
        }
        return new NewGroup(members, ends);
    }

    /** The group of this rank that is being agreed on. */
    private static final class Pending {

        private @Nullable List<Integer> members;
        private @Nullable GroupState state;

        @Nullable GroupState state(GroupState parent, CallKey.Ticket key) {
            List<Integer> ranks = members;
            if (ranks != null) {
                List<Integer> worldRanks = ranks.stream().map(parent::worldRank).toList();
                state = parent.child(number(key, ranks.getFirst()), worldRanks, ranks.indexOf(parent.rank()));
            }
            return state;
        }

        void abandon(RankDriver driver) {
            if (state != null) {
                driver.abandon(state);
                driver.close(state);
            }
        }
    }

    /** {@return a group's number: the same on all its members, and different from those of all other groups of a rank} */
    private static long number(CallKey.Ticket key, int first) {
        long number = Fingerprint.mix(hash(key), first);
        return number == GroupState.WORLD || number == GroupState.CONTROL ? 1 : number;
    }

    private static long hash(CallKey.Ticket key) {
        Enclosure enclosure = key.enclosure();
        long hash = hash(key.name().getBytes(StandardCharsets.UTF_8));
        hash = Fingerprint.mix(hash, enclosure == null ? 0 : hash(enclosure.run()));
        for (long part : new long[] {key.group(), key.generation(), key.step(), key.ticket(), key.ordinal()}) {
            hash = Fingerprint.mix(hash, part);
        }
        return hash;
    }

    private static long hash(byte[] bytes) {
        long hash = bytes.length;
        for (byte each : bytes) {
            hash = Fingerprint.mix(hash, each);
        }
        return hash;
    }
}
