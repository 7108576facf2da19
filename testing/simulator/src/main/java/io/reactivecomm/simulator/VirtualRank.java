package io.reactivecomm.simulator;

import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.link.PeerNews;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One rank of a virtual world: an engine, and what a loop would do for it. */
final class VirtualRank {

    /** The most that a turn comes after its event, in nanoseconds. */
    private static final int LATEST_TURN = 20_000;

    private final int rank;
    private final VirtualNetwork network;
    private final Map<Long, Membership> memberships = new HashMap<>();
    private final PayloadContents contents = new PayloadContents();
    private List<VirtualLink> links = List.of();
    private @Nullable Engine engine;
    private boolean crashed;
    private boolean left;
    private boolean turnDue;
    private long timerAt = Long.MAX_VALUE;
    private int mostParked;

    VirtualRank(int rank, VirtualNetwork network) {
        this.rank = rank;
        this.network = network;
    }

    /** Connects the rank: its links, in the order of ranks, and the groups that are there from the beginning. */
    void connect(List<VirtualLink> all, EngineLimits limits, List<SimulatedGroup> teams) {
        links = all;
        mostParked = limits.openings().parked() * links.size();
        Engine made = new Engine(rank, links, limits, warning -> {});
        engine = made;
        for (SimulatedGroup team : teams) {
            if (team.has(rank)) {
                memberships.put(team.id(), new Membership(team, this, network));
            }
        }
    }

    /** The groups that are there from the beginning are there. */
    void begin() {
        for (Membership membership : List.copyOf(memberships.values())) {
            SimulatedGroup team = membership.team();
            if (team.parent() == null) {
                GroupState group = new GroupState(
                        team.id(), 0, team.worldRanks(), team.worldRanks().indexOf(rank), network.observers());
                engine().register(group);
                membership.begin(group);
            }
        }
    }

    PayloadContents contents() {
        return contents;
    }

    int rank() {
        return rank;
    }

    Engine engine() {
        Engine made = engine;
        if (made == null) {
            throw new IllegalStateException("a rank that is not connected: rank=" + rank);
        }
        return made;
    }

    Membership membership(long id) {
        Membership membership = memberships.get(id);
        if (membership == null) {
            throw new IllegalArgumentException("not a member: rank=" + rank + ", group=" + id);
        }
        return membership;
    }

    List<VirtualLink> links() {
        return links;
    }

    /** The rank leaves the world in good order. */
    void leave() {
        left = true;
        event(() -> engine().leave(network.agenda().now()));
    }

    boolean hasLeft() {
        return left;
    }

    boolean hasCrashed() {
        return crashed;
    }

    /** Nothing happens on this rank any more; its peers see their links break. */
    void crash() {
        network.agenda().tell(rank, () -> "crashes");
        crashed = true;
        links.forEach(link -> link.cut("connection reset by peer"));
    }

    /** The link to a rank breaks, in this direction. */
    void cut(int peer) {
        for (VirtualLink link : links) {
            if (link.peer() == peer) {
                link.cut("no route to host");
            }
        }
    }

    /** Nothing gets through to a rank any more, which this one is told some time later. */
    void hush(int peer) {
        for (VirtualLink link : links) {
            if (link.peer() == peer) {
                link.hush();
                long told = network.agenda().now() + network.weather().delay(network.dice());
                network.agenda().at(told, () -> separate(link));
            }
        }
    }

    private void separate(VirtualLink link) {
        event(() -> {
            network.agenda().tell(rank, () -> "is told that it is cut from " + link.peer());
            engine().news(
                            new PeerNews.Cut(link.peer(), "no answer for long"),
                            network.agenda().now());
        });
        network.soon(() -> link.goDown("no answer for long"));
    }

    /** Lets the engine take an event, then has the turn at once or some time later. */
    void event(Runnable event) {
        if (crashed) {
            return;
        }
        event.run();
        turn();
        arm();
    }

    /** Has the rank's loop do something that does not concern the engine, soon. */
    void execute(Runnable task) {
        network.agenda().at(network.agenda().now() + network.dice().below(LATEST_TURN), task);
    }

    private void turn() {
        int lazy = network.weather().lazyPercent();
        boolean more = true;
        while (more) {
            if (lazy > 0 && network.dice().percent(lazy)) {
                turnLater();
                return;
            }
            engine().flush();
            more = engine().deliverSignal(network.agenda().now());
        }
    }

    private void turnLater() {
        if (!turnDue) {
            turnDue = true;
            network.agenda().at(network.agenda().now() + network.dice().below(LATEST_TURN), () -> {
                turnDue = false;
                event(() -> {});
            });
        }
    }

    private void arm() {
        long next = engine().nextDeadline();
        if (next < timerAt) {
            timerAt = next;
            network.agenda().at(next + network.dice().below(LATEST_TURN), () -> timer(next));
        }
    }

    private void timer(long due) {
        if (timerAt == due) {
            timerAt = Long.MAX_VALUE;
            event(() -> engine().time(network.agenda().now()));
        }
    }

    /** Requires that no more openings are kept than the bounds allow. */
    void checkParked() {
        int parked = engine().parkedOpenings();
        if (parked > mostParked) {
            throw new Violation("more openings are kept than the bounds allow: rank=" + rank + ", parked=" + parked
                    + ", most=" + mostParked);
        }
    }

    void close() {
        engine().close();
    }
}
