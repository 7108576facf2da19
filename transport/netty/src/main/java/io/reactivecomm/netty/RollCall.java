package io.reactivecomm.netty;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.spi.Loop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the ranks of a world, and sees what cannot become one: a rank claimed twice, another world size, another version, choices that
 * differ, a rank that does not come. Then all who have joined hear the same sentence, and so does who joins shortly after.
 *
 * <p>A complete world stays known while its ranks are connected, so that a latecomer who claims one of them, or another size, is told.
 * Ranks that have left may gather again.
 *
 * <p><b>Threads.</b> The store's.
 */
final class RollCall {

    /** More processes than one store could serve sockets to. */
    static final int MAX_WORLD_SIZE = 65_536;

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Ranks of one job start within seconds of each other: so long a failed attempt speaks for the next to come. */
    private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final int LISTED_RANKS = 32;

    /** A rank that has joined. */
    interface Member {

        Arrival arrival();

        default Roster.Entry entry() {
            return arrival().entry();
        }

        /** {@return where it is, for messages} */
        String origin();

        void complete(Roster roster);

        void failed(String text);

        void waiting(String missing, long waitedMillis);
    }

    private final Timers timers;
    private final EventExecutor executor;
    private final IntSupplier wrongTokens;
    private final Map<Integer, Member> running = new HashMap<>();
    private final TreeMap<Integer, Member> present = new TreeMap<>();
    /** A rank of a complete world that none has left yet; while there is one, nobody else is present. */
    private Roster.@Nullable Entry whole;

    private int wrongTokensBefore;
    private Loop.@Nullable Timer status;
    private long since;
    private @Nullable String failure;
    private long failedAt;

    /** @param wrongTokens how many connections have been refused for their token: perhaps the ranks that are missing */
    RollCall(EventExecutor executor, Timers timers, IntSupplier wrongTokens) {
        this.executor = executor;
        this.timers = timers;
        this.wrongTokens = wrongTokens;
    }

    void join(Member member) {
        Roster.Entry entry = member.entry();
        String contradiction = contradiction(member);
        if (failure != null && timers.nanoTime() - failedAt < FAILURE_NANOS) {
            member.failed(failure);
        } else if (contradiction != null && present.isEmpty()) {
            // It contradicts a world that is complete, which need not hear of it.
            member.failed(contradiction);
        } else if (contradiction != null) {
            fail(contradiction);
            member.failed(contradiction);
        } else {
            enter(entry, member);
        }
    }

    private @Nullable String contradiction(Member member) {
        Roster.Entry entry = member.entry();
        if (whole != null && whole.worldSize() != entry.worldSize()) {
            return worldSizeDiffers(whole, entry);
        }
        Member holder = present.getOrDefault(entry.rank(), running.get(entry.rank()));
        if (holder != null) {
            return "a rank is claimed twice: rank=" + entry.rank() + ", first=" + holder.origin() + ", second="
                    + member.origin() + "; give each process its own RANK";
        }
        if (!present.isEmpty() && worldSize() != entry.worldSize()) {
            return worldSizeDiffers(present.firstEntry().getValue().entry(), entry);
        }
        return null;
    }

    private static String worldSizeDiffers(Roster.Entry first, Roster.Entry second) {
        return "the world size differs between ranks: rank=" + first.rank() + " has WORLD_SIZE=" + first.worldSize()
                + ", rank=" + second.rank() + " has WORLD_SIZE=" + second.worldSize() + "; give all ranks the same";
    }

    private void enter(Roster.Entry entry, Member member) {
        failure = null;
        if (present.isEmpty()) {
            since = timers.nanoTime();
            status = timers.schedule(executor, this::sayStatus, STATUS_NANOS);
        }
        present.put(entry.rank(), member);
        if (present.size() == entry.worldSize()) {
            complete();
        } else {
            timers.schedule(executor, () -> runOut(member), TimeUnit.MILLISECONDS.toNanos(entry.patienceMillis()));
        }
    }

    private void complete() {
        List<Member> members = List.copyOf(present.values());
        String difference = choicesDiffer(members);
        if (difference != null) {
            fail(difference);
            return;
        }
        Roster roster = new Roster(
                Handshake.newNonce(Handshake.JOB_BYTES),
                members.stream().map(Member::entry).toList());
        running.putAll(present);
        whole = members.getFirst().entry();
        reset();
        members.forEach(member -> member.complete(roster));
    }

    /** Compared only here, when all have come: so all hear of a difference, and the store need not outlive its ranks for latecomers. */
    private static @Nullable String choicesDiffer(List<Member> members) {
        Arrival first = members.getFirst().arrival();
        for (Member member : members) {
            for (String name : first.choices().keySet()) {
                String one = first.choices().get(name);
                String other = member.arrival().choices().getOrDefault(name, "");
                if (!other.equals(one)) {
                    return "a setting differs between ranks: rank="
                            + first.entry().rank() + " has " + name + "=" + one
                            + ", rank=" + member.entry().rank() + " has " + name + "=" + other
                            + "; give all ranks the same";
                }
            }
        }
        return null;
    }

    private void runOut(Member member) {
        if (present.get(member.entry().rank()) == member) {
            fail("ranks are missing at the rendezvous: missing=" + missing() + ", worldSize=" + worldSize()
                    + ", waited=" + member.entry().patienceMillis() / 1000.0 + " s" + runningWorld() + refused()
                    + "; start them, or raise RCOMM_RENDEZVOUS_TIMEOUT_SECONDS");
        }
    }

    private void sayStatus() {
        status = timers.schedule(executor, this::sayStatus, STATUS_NANOS);
        String missing = missing() + refused();
        long waitedMillis = TimeUnit.NANOSECONDS.toMillis(timers.nanoTime() - since);
        List.copyOf(present.values()).forEach(member -> member.waiting(missing, waitedMillis));
    }

    /** Tells all who have joined why there will be no world. */
    void fail(String text) {
        List<Member> told = List.copyOf(present.values());
        failure = text;
        failedAt = timers.nanoTime();
        reset();
        told.forEach(member -> member.failed(text));
    }

    /** A rank's connection has ended. */
    void leave(Member member) {
        int rank = member.entry().rank();
        // A rank that an older world has left behind may go without harm to this one.
        if (running.remove(rank, member)
                && whole != null
                && whole.worldSize() == member.entry().worldSize()) {
            whole = null;
        }
        if (present.remove(rank, member) && present.isEmpty()) {
            reset();
        }
    }

    private void reset() {
        present.clear();
        wrongTokensBefore = wrongTokens.getAsInt();
        if (status != null) {
            status.cancel();
            status = null;
        }
    }

    /** {@return the size of a complete world whose ranks are connected still: those missing here may be in it} */
    private String runningWorld() {
        return running.values().stream()
                .findFirst()
                .map(other -> ", complete world at this store: WORLD_SIZE="
                        + other.entry().worldSize())
                .orElse("");
    }

    /** {@return that ranks with another token came since the last attempt, if any did} */
    private String refused() {
        int count = wrongTokens.getAsInt() - wrongTokensBefore;
        return switch (count) {
            case 0 -> "";
            case 1 -> ", 1 connection was refused: wrong token";
            default -> ", " + count + " connections were refused: wrong token";
        };
    }

    private int worldSize() {
        return present.firstEntry().getValue().entry().worldSize();
    }

    private String missing() {
        List<Integer> missing = new ArrayList<>();
        for (int rank = 0; rank < worldSize() && missing.size() < LISTED_RANKS; rank++) {
            if (!present.containsKey(rank)) {
                missing.add(rank);
            }
        }
        int more = worldSize() - present.size() - missing.size();
        return missing + (more > 0 ? " and " + more + " more" : "");
    }
}
