package io.reactivecomm.netty;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.spi.Loop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the ranks of a world, and sees what cannot become one: a rank claimed twice, another world size, another version, a rank that
 * does not come. Then all who have joined hear the same sentence, and so does who joins shortly after.
 *
 * <p>A complete world stays known while its ranks are connected, so that a latecomer who claims one of them is told. Ranks that have
 * left may gather again.
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

        Roster.Entry entry();

        /** {@return where it is, for messages} */
        String origin();

        void complete(Roster roster);

        void failed(String text);

        void waiting(String missing, long waitedMillis);
    }

    private final Timers timers;
    private final EventExecutor executor;
    private final Map<Integer, Member> running = new HashMap<>();
    private final TreeMap<Integer, Member> present = new TreeMap<>();
    private Loop.@Nullable Timer status;
    private long since;
    private @Nullable String failure;
    private long failedAt;

    RollCall(EventExecutor executor, Timers timers) {
        this.executor = executor;
        this.timers = timers;
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
        Member holder = present.getOrDefault(entry.rank(), running.get(entry.rank()));
        if (holder != null) {
            return "a rank is claimed twice: rank=" + entry.rank() + ", first=" + holder.origin() + ", second="
                    + member.origin() + "; give each process its own RANK";
        }
        if (!present.isEmpty() && worldSize() != entry.worldSize()) {
            Roster.Entry other = present.firstEntry().getValue().entry();
            return "the world size differs between ranks: rank=" + other.rank() + " has WORLD_SIZE=" + other.worldSize()
                    + ", rank=" + entry.rank() + " has WORLD_SIZE=" + entry.worldSize() + "; give all ranks the same";
        }
        return null;
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
        Roster roster = new Roster(
                Handshake.newNonce(Handshake.JOB_BYTES),
                members.stream().map(Member::entry).toList());
        running.putAll(present);
        reset();
        members.forEach(member -> member.complete(roster));
    }

    private void runOut(Member member) {
        if (present.get(member.entry().rank()) == member) {
            fail("ranks are missing at the rendezvous: missing=" + missing() + ", worldSize=" + worldSize()
                    + ", waited=" + member.entry().patienceMillis() / 1000.0 + " s" + runningWorld()
                    + "; start them, or raise RCOMM_RENDEZVOUS_TIMEOUT_SECONDS");
        }
    }

    private void sayStatus() {
        status = timers.schedule(executor, this::sayStatus, STATUS_NANOS);
        String missing = missing();
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
        running.remove(rank, member);
        if (present.remove(rank, member) && present.isEmpty()) {
            reset();
        }
    }

    private void reset() {
        present.clear();
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
