package io.reactivecomm.backend;

import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.ScopeMessages;
import io.reactivecomm.collective.Send;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import io.reactivecomm.testkit.device.FakeKernels;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The meeting of the ranks of a world: each is at one call at a time, the first that it was given and has not ended, and a call is performed when all
 * members of its group are at it. So two orders are a deadlock here, as they are in a library that blocks; and where the orders or the batches
 * of a group's members differ, the calls fail with that. Each world has a meeting of its own, which ranks find by the world's name.
 *
 * <p><b>Threads.</b> Any; one lock, under which nobody is told anything.
 */
final class StrictMeeting {

    /** By world, until all its ranks have left: what ranks of one JVM have in common. */
    private static final Map<String, StrictMeeting> OPEN = new ConcurrentHashMap<>();

    private final String world;
    private final StrictGroups groups = new StrictGroups();
    private final Map<Integer, Deque<Turn>> work = new HashMap<>();
    /** The batches of each group, as the first member saw them. */
    private final Map<List<Long>, List<List<String>>> agreed = new HashMap<>();
    /** How many of them each member has seen, by group and rank. */
    private final Map<List<Object>, Integer> seen = new HashMap<>();

    private final Set<Integer> left = new HashSet<>();

    private StrictMeeting(String world) {
        this.world = world;
    }

    static StrictMeeting of(String world) {
        return OPEN.computeIfAbsent(world, StrictMeeting::new);
    }

    /** {@return worlds that some rank has not left} */
    static Set<String> open() {
        return Set.copyOf(OPEN.keySet());
    }

    StrictGroups groups() {
        return groups;
    }

    void run(int rank, List<Turn> batch) {
        Map<List<Long>, List<String>> shares = new LinkedHashMap<>();
        Turn.calls(batch)
                .forEach(turn -> shares.computeIfAbsent(line(turn.call()), ignored -> new ArrayList<>())
                        .add(identity(turn.call())));
        List<String> disorder = new ArrayList<>();
        synchronized (this) {
            shares.forEach((line, share) -> compare(rank, line, share, disorder));
            work.computeIfAbsent(rank, ignored -> new ArrayDeque<>()).addAll(disorder.isEmpty() ? batch : List.of());
        }
        if (disorder.isEmpty()) {
            meet();
        } else {
            Turn.calls(batch)
                    .forEach(turn ->
                            turn.sink().failed(new Failure(Failure.Kind.INTERNAL, rank, "disorder: " + disorder)));
        }
    }

    /** {@return what is cut alike on all who see it: a group's collectives, or the messages of two of its members} */
    private static List<Long> line(EngineCall call) {
        List<Long> line = new ArrayList<>(List.of(call.group().id()));
        if (call.key() instanceof CallKey.Message) {
            members(call).forEach(member -> line.add((long) member));
        }
        return line;
    }

    /** {@return the world ranks whose call it is, a message's sender first} */
    private static List<Integer> members(EngineCall call) {
        List<Integer> all = call.group().worldRanks();
        return call.key() instanceof CallKey.Message message
                ? List.of(all.get(message.source()), all.get(message.destination()))
                : all;
    }

    private static String identity(EngineCall call) {
        return call.key().toString();
    }

    private void compare(int rank, List<Long> line, List<String> share, List<String> disorder) {
        List<List<String>> all = agreed.computeIfAbsent(line, ignored -> new ArrayList<>());
        int place = seen.merge(List.of(line, rank), 1, Integer::sum) - 1;
        if (place == all.size()) {
            all.add(share);
        } else if (!all.get(place).equals(share)) {
            disorder.add("rank " + rank + " got " + share + " where another got " + all.get(place));
        }
    }

    private void meet() {
        for (List<Turn> met = next(); met != null; met = next()) {
            if (met.getFirst() instanceof Turn.Call) {
                List<Turn.Call> call = Turn.calls(met);
                performed(call);
                call.forEach(turn -> turn.sink().succeeded(Completion.of("met")));
            } else {
                for (int i = 0; i < met.size(); i++) {
                    end(ranks(met.get(i)).get(i), met.get(i));
                }
            }
        }
    }

    /** One thread performs it for all its ranks, and none of them waits where a tensor of one dies. */
    private static void performed(List<Turn.Call> call) {
        try {
            perform(call);
        } catch (Exception | Error e) {
            call.forEach(turn -> turn.sink()
                    .failed(new Failure(
                            Failure.Kind.INTERNAL, turn.call().group().rank(), "the strict double died: " + e)));
            throw e;
        }
    }

    private void end(int rank, Turn turn) {
        boolean fails = StrictGroups.TROUBLES.get(turn.group().worldRanks()) == StrictGroups.Trouble.FAILS;
        if (turn instanceof Turn.Freeing freeing) {
            groups.freed(rank, freeing.group());
            freeing.sink().done();
        } else if (turn instanceof Turn.Opening opening && !fails) {
            groups.opened(rank, opening.group());
            opening.sink().done();
        } else if (turn instanceof Turn.Opening opening
                && turn.group().worldRanks().getLast() == rank) {
            opening.sink().failed(new Failure(Failure.Kind.INTERNAL, rank, "the strict double cannot open it"));
        }
    }

    /** {@return each rank's turn that all which take part are at, which they are at no more; null if there is none} */
    private synchronized @Nullable List<Turn> next() {
        for (Deque<Turn> own : work.values()) {
            Turn first = own.peek();
            if (first != null && !isEndless(first)) {
                List<Turn> turns = new ArrayList<>();
                for (int member : ranks(first)) {
                    Turn other = work.getOrDefault(member, new ArrayDeque<>()).peek();
                    if (other != null && identity(other).equals(identity(first))) {
                        turns.add(other);
                    }
                }
                if (turns.size() == ranks(first).size()) {
                    ranks(first).forEach(member -> work.get(member).remove());
                    return turns;
                }
            }
        }
        return null;
    }

    /** {@return whether nobody performs it} */
    static boolean isEndless(Turn turn) {
        return switch (turn) {
            case Turn.Call call -> {
                long count = call.call().collective().signature().count();
                yield count == StrictEngine.ENDLESS || count == StrictEngine.UNLUCKY || count == StrictEngine.BEREFT;
            }
            case Turn.Opening opening ->
                StrictGroups.TROUBLES.get(opening.group().worldRanks()) == StrictGroups.Trouble.ENDLESS;
            case Turn.Freeing ignored -> false;
        };
    }

    /** {@return who takes part} */
    private static List<Integer> ranks(Turn turn) {
        if (turn instanceof Turn.Call call) {
            return members(call.call());
        }
        EngineGroup from = turn instanceof Turn.Opening opening ? opening.from() : null;
        return from == null ? turn.group().worldRanks() : from.worldRanks();
    }

    private static String identity(Turn turn) {
        return switch (turn) {
            case Turn.Call call -> identity(call.call());
            case Turn.Opening opening -> "opening of " + opening.group().id() + " by " + ranks(turn);
            case Turn.Freeing freeing -> "freeing of " + freeing.group().id();
        };
    }

    private static void perform(List<Turn.Call> call) {
        List<Collective> ranks =
                call.stream().map(turn -> turn.call().collective()).toList();
        if (ranks.getFirst() instanceof Send send) {
            deliver(send, (Receive) ranks.getLast());
            return;
        }
        FakeKernels.perform(ranks);
        if (ranks.getFirst() instanceof Coalesced) {
            exchange(ranks.stream().map(each -> ((Coalesced) each).messages()).toList());
        }
    }

    /** For each two ranks, in the order of each. */
    private static void exchange(List<ScopeMessages> ranks) {
        for (int source = 0; source < ranks.size(); source++) {
            for (int destination = 0; destination < ranks.size(); destination++) {
                int from = source;
                int to = destination;
                List<Send> sent = calls(ranks.get(from), Send.class).stream()
                        .filter(send -> send.peer() == to)
                        .toList();
                List<Receive> received = calls(ranks.get(to), Receive.class).stream()
                        .filter(receive -> receive.peer() == from)
                        .toList();
                if (sent.size() != received.size()) {
                    throw new IllegalStateException("messages of a scope differ: " + sent + ", " + received);
                }
                for (int i = 0; i < sent.size(); i++) {
                    deliver(sent.get(i), received.get(i));
                }
            }
        }
    }

    private static <T> List<T> calls(ScopeMessages messages, Class<T> kind) {
        return messages.calls().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    private static void deliver(Send send, Receive receive) {
        if (!send.signature().equals(receive.signature())) {
            throw new IllegalStateException("ends of a message differ: " + send.describe() + ", " + receive.describe());
        }
        MemorySegment.copy(
                send.tensor().segment(),
                0,
                receive.tensor().segment(),
                0,
                send.tensor().byteSize());
    }

    /** Ends those of a rank's turns, which it is at no more. */
    void stop(int rank, Predicate<Turn> which, Failure cause) {
        List<Turn> stopped = new ArrayList<>();
        synchronized (this) {
            work.getOrDefault(rank, new ArrayDeque<>()).removeIf(turn -> which.test(turn) && stopped.add(turn));
        }
        Turn.calls(stopped).forEach(turn -> turn.sink().failed(cause));
        meet();
    }

    synchronized void leave(int rank) {
        left.add(rank);
        if (left.containsAll(work.keySet())) {
            OPEN.remove(world);
        }
    }
}
