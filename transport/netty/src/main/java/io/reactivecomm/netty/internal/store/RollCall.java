package io.reactivecomm.netty.internal.store;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.Timers;
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
 * Gathers the ranks of a world, and sees what cannot become one. That is a rank claimed twice, another world size, another version, choices
 * that differ, a rank that does not come, one that came and went. Then all who have joined hear the same sentence, and so does who joins
 * shortly after. A rank that went may come back at once, restarted: the others hear of it after {@link #RETURN_NANOS}.
 *
 * <p>Ranks of a {@link CompleteWorld} that have left may gather again.
 *
 * <p><b>Threads.</b> The store's.
 */
public final class RollCall {

    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Ranks of one job start within seconds of each other: so long a failed attempt speaks for the next to come. */
    private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Less than the two seconds in which those who wait are to know of a loss, more than it takes to start a JVM anew. */
    public static final long RETURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

    private static final int LISTED_RANKS = 32;

    /** A rank that has joined. */
    interface Member {

        JoinRequest arrival();

        default Roster.Entry entry() {
            return arrival().entry();
        }

        /** {@return where it is, for messages} */
        String origin();

        void complete(Roster roster);

        void failed(String text);

        void waiting(String missing, long waitedMillis);

        /** A rank of the world has gone before this one was connected with all. */
        void without(int rank, String origin);
    }

    /** A process that joined and went before all had come. */
    private record Departure(String origin, long joinedAt, long wentAt) {}

    private final Timers timers;
    private final EventExecutor executor;
    private final IntSupplier wrongTokens;
    private final CompleteWorld running = new CompleteWorld();
    private final TreeMap<Integer, Member> present = new TreeMap<>();
    private final Map<Integer, Long> joinedAt = new HashMap<>();
    private final TreeMap<Integer, Departure> departed = new TreeMap<>();
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
        Roster.Entry whole = running.whole();
        if (whole != null && whole.worldSize() != entry.worldSize()) {
            return worldSizeDiffers(whole, entry);
        }
        Member here = present.get(entry.rank());
        Member holder = here == null ? running.rank(entry.rank()) : here;
        if (holder != null) {
            return "a rank is claimed twice: rank=" + entry.rank() + ", first=" + holder.origin() + ", second="
                    + member.origin()
                    + "; give each process its own RANK, and connect once in a process: newGroup and split give further groups";
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
        joinedAt.put(entry.rank(), timers.nanoTime());
        departed.remove(entry.rank());
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
        running.begin(members, timers.nanoTime());
        departed.clear();
        reset();
        members.forEach(member -> member.complete(roster));
    }

    /** Compared only here, when all have come: so all hear of a difference, and the store need not outlive its ranks for latecomers. */
    private static @Nullable String choicesDiffer(List<Member> members) {
        JoinRequest first = members.getFirst().arrival();
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
            fail("ranks are missing at the rendezvous: missing=" + missing() + gone() + ", worldSize=" + worldSize()
                    + ", waited=" + member.entry().patienceMillis() / 1000.0 + " s" + runningWorld() + refused()
                    + "; start them, or raise RCOMM_RENDEZVOUS_TIMEOUT_SECONDS");
        }
    }

    private void sayStatus() {
        status = timers.schedule(executor, this::sayStatus, STATUS_NANOS);
        String missing = missing() + gone() + refused();
        long waitedMillis = TimeUnit.NANOSECONDS.toMillis(timers.nanoTime() - since);
        List.copyOf(present.values()).forEach(member -> member.waiting(missing, waitedMillis));
    }

    /** Tells all who have joined why there will be no world. */
    void fail(String text) {
        List<Member> told = List.copyOf(present.values());
        failure = text;
        failedAt = timers.nanoTime();
        departed.clear();
        reset();
        told.forEach(member -> member.failed(text));
    }

    /** A rank's connection has ended. */
    void leave(Member member) {
        int rank = member.entry().rank();
        running.leave(member, timers.nanoTime());
        if (present.remove(rank, member)) {
            depart(rank, member.origin());
        }
    }

    /** A rank of a complete world is connected with all others. */
    void connected(Member member) {
        running.connected(member);
    }

    private void depart(int rank, String origin) {
        Long joined = joinedAt.remove(rank);
        long now = timers.nanoTime();
        Departure departure = new Departure(origin, joined == null ? now : joined, now);
        departed.put(rank, departure);
        timers.schedule(executor, () -> isGone(rank, departure), RETURN_NANOS);
        if (present.isEmpty()) {
            reset();
        }
    }

    private void isGone(int rank, Departure departure) {
        if (departed.get(rank) == departure && !present.isEmpty()) {
            double seconds = TimeUnit.NANOSECONDS.toMillis(departure.wentAt - departure.joinedAt) / 1000.0;
            fail("a rank went before all had come: rank " + rank + " joined from " + departure.origin
                    + " and went, after=" + seconds
                    + " s, missing=" + missing() + ", worldSize=" + worldSize()
                    + "; see in its output why, and start it again with the others");
        }
    }

    private void reset() {
        present.clear();
        joinedAt.clear();
        wrongTokensBefore = wrongTokens.getAsInt();
        if (status != null) {
            status.cancel();
            status = null;
        }
    }

    /** {@return the size of a complete world whose ranks are connected still: those missing here may be in it} */
    private String runningWorld() {
        return running.size()
                .map(size -> ", complete world at this store: WORLD_SIZE=" + size)
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

    /** {@return which ranks came before those who wait now, and went} */
    private String gone() {
        List<String> gone = departed.entrySet().stream()
                .limit(LISTED_RANKS)
                .map(each -> each.getKey() + " joined from " + each.getValue().origin + " and went")
                .toList();
        return gone.isEmpty() ? "" : ", gone=" + gone;
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
