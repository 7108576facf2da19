package io.reactivecomm.internal.engine;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A group as the engine knows it.
 *
 * <p><b>Threads.</b> The identity is immutable; {@link #beginToEnd} and {@link #ending} are for any; what has become of the group belongs to the
 * loop.
 */
public final class GroupState {

    /** The {@link #id()} of the group of all ranks. */
    public static final long WORLD = 0;

    /** The {@link #id()} of the group in which engines talk to each other; it outlives the loss of a rank, and what ends the world's group. */
    public static final long CONTROL = -1;

    private final long id;
    private final int generation;
    private final List<Integer> worldRanks;
    private final int rank;
    private final List<Long> ancestors;
    private final Observers observers;
    private final Set<Integer> left = new HashSet<>();
    private volatile ProgramCalls assembled = ProgramCalls.UNKNOWN;
    /** Made once, and again when it is known who assembles: each call of another engine is given it. */
    private volatile EngineGroup forEngines;

    private volatile @Nullable Failure ending;
    private boolean hasLeft;
    private @Nullable Failure ended;
    private boolean endedInGoodOrder;
    /** Also asked by threads that come after the loop has ended. */
    private volatile @Nullable Failure refusal;

    private Consumer<Failure> listener = ignored -> {};
    private @Nullable Signature latestSignature;
    private @Nullable CallKey latestKey;

    /**
     * @param worldRanks the members' ranks in the world, in group order
     * @param rank this process's place among them
     */
    public GroupState(long id, int generation, List<Integer> worldRanks, int rank) {
        this(id, generation, worldRanks, rank, Observers.none());
    }

    /** @param observers hear of its calls */
    public GroupState(long id, int generation, List<Integer> worldRanks, int rank, Observers observers) {
        this(id, generation, worldRanks, rank, List.of(), observers);
    }

    private GroupState(
            long id, int generation, List<Integer> worldRanks, int rank, List<Long> ancestors, Observers observers) {
        this.id = id;
        this.generation = generation;
        this.worldRanks = List.copyOf(worldRanks);
        this.rank = rank;
        this.ancestors = ancestors;
        this.observers = observers;
        this.forEngines = new EngineGroup(id, generation, this.worldRanks, rank, ancestors, ProgramCalls.UNKNOWN);
    }

    /** {@return one that is made of this one} */
    public GroupState child(long number, List<Integer> members, int place) {
        List<Long> above = new ArrayList<>();
        if (!isWorld()) {
            above.add(id);
            above.addAll(ancestors);
        }
        List<Long> nearest = List.copyOf(above.subList(0, Math.min(above.size(), EngineGroup.MOST_ANCESTORS)));
        return new GroupState(number, generation, members, place, nearest, observers.ofGroup());
    }

    /** {@return the group as other engines know it} */
    public EngineGroup forEngines() {
        return forEngines;
    }

    /** {@return who hears of its calls} */
    public Observers observers() {
        return observers;
    }

    /** This rank has left the world whose group this is: whoever observes one of its groups hears of it. */
    public void worldLeft(long now) {
        observers.tellWorld(new CommEvent.WorldLeft(worldRank(rank()), now));
    }

    public long id() {
        return id;
    }

    public boolean isWorld() {
        return id == WORLD;
    }

    public boolean isControl() {
        return id == CONTROL;
    }

    public int generation() {
        return generation;
    }

    public List<Integer> worldRanks() {
        return worldRanks;
    }

    public int rank() {
        return rank;
    }

    public int size() {
        return worldRanks.size();
    }

    public int worldRank(int groupRank) {
        return worldRanks.get(groupRank);
    }

    int groupRank(int worldRank) {
        return worldRanks.indexOf(worldRank);
    }

    /** Its calls are assembled there from here on. */
    public void assembledBy(ProgramCalls calls) {
        assembled = calls;
        forEngines = new EngineGroup(id, generation, worldRanks, rank, ancestors, calls);
    }

    /** {@return what this rank's program has assembled} */
    ProgramCalls assembled() {
        return assembled;
    }

    /** This rank has decided to close or abort the group; its loop will hear of it. */
    public void beginToEnd(Failure how) {
        ending = how;
    }

    /** {@return what this rank has decided, or null if it has not} */
    public @Nullable Failure ending() {
        return ending;
    }

    /** This rank has closed the group for itself. */
    void leave() {
        hasLeft = true;
    }

    boolean hasBeenLeft() {
        return hasLeft;
    }

    /** A member has closed the group for itself, though it may still be in others. */
    void left(int worldRank) {
        left.add(worldRank);
    }

    /** {@return those of the world's ranks that have closed it for themselves} */
    List<Integer> membersThatLeft() {
        return left.stream().sorted().toList();
    }

    /** {@return whether calls of this group can be made with that rank} */
    boolean isReachable(Peer peer) {
        return peer.isUp() && !left.contains(peer.rank());
    }

    /** {@return why the group has ended, or null} */
    @Nullable Failure ended() {
        return ended;
    }

    /** {@return whether it ended because this rank closed it, or all that it had} */
    public boolean endedInGoodOrder() {
        return endedInGoodOrder;
    }

    /** {@return why no call of this group can begin, or null; after this rank has closed or aborted the group that it did so} */
    public @Nullable Failure refusal() {
        return refusal;
    }

    /** Ends the group; the first cause stays. */
    void end(Failure cause) {
        if (ended == null) {
            ended = cause;
            refusal = cause;
            listener.accept(cause);
        }
    }

    /**
     * Ends the group because this rank has closed or aborted it; if it had lost a rank before, calls from here on hear of both.
     *
     * @param isClosed whether this is an end in good order
     */
    void endHere(Failure cause, boolean isClosed) {
        Failure before = ended;
        if (before == null) {
            endedInGoodOrder = isClosed;
            end(cause);
        } else if (refusal == before && before.kind() != Failure.Kind.CLOSED) {
            refusal = Failures.after(before, cause);
        }
    }

    /** Has the group's end told, or the end that it has had. */
    public void whenEnded(Consumer<Failure> told) {
        listener = told;
        if (ended != null) {
            told.accept(ended);
        }
    }

    /** {@return the call that this rank began last, empty if none} */
    String latest() {
        return latestSignature == null || latestKey == null ? "" : latestSignature.describe() + " " + latestKey.label();
    }

    void began(CallKey key, Signature signature) {
        latestKey = key;
        latestSignature = signature;
    }
}
