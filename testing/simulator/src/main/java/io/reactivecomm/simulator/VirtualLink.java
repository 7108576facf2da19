package io.reactivecomm.simulator;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkTraits;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link of the virtual network: does what {@link Link} demands, as late and as unevenly as it allows.
 *
 * <p>It also counts grants: each must be answered once.
 */
final class VirtualLink implements Link {

    private static final long TALKATIVE_NANOS = 30_000_000;

    private final VirtualNetwork network;
    private final VirtualRank owner;
    private final int peer;
    private final Set<Long> unanswered = new HashSet<>();
    private @Nullable Wire out;
    private @Nullable Arrival arriving;
    private long mostWindowBytes;
    private boolean closing;
    private boolean down;

    private VirtualLink(VirtualNetwork network, VirtualRank owner, int peer) {
        this.network = network;
        this.owner = owner;
        this.peer = peer;
    }

    /** {@return the two ends of a new link} */
    static List<VirtualLink> pair(VirtualNetwork network, VirtualRank one, VirtualRank two) {
        VirtualLink first = new VirtualLink(network, one, two.rank());
        VirtualLink second = new VirtualLink(network, two, one.rank());
        first.out = new Wire(network, first, second);
        second.out = new Wire(network, second, first);
        return List.of(first, second);
    }

    /** A payload that is coming in; without a destination it is forgotten. */
    private static final class Arrival {

        private final long grant;
        private final int lengthBytes;
        private @Nullable MemorySegment destination;
        private int arrived;

        private Arrival(long grant, int lengthBytes, @Nullable MemorySegment destination) {
            this.grant = grant;
            this.lengthBytes = lengthBytes;
            this.destination = destination;
        }
    }

    private Wire out() {
        Wire wire = out;
        if (wire == null) {
            throw new IllegalStateException("a link without its other end");
        }
        return wire;
    }

    @Override
    public int peer() {
        return peer;
    }

    @Override
    public LinkTraits traits() {
        return new LinkTraits(Integer.MAX_VALUE, Integer.MAX_VALUE, false);
    }

    @Override
    public boolean isWritable() {
        return !down && out().isWritable();
    }

    @Override
    public boolean copiesEagerBytes() {
        return true;
    }

    @Override
    public void write(Frame frame) {
        if (down || closing) {
            return;
        }
        tell("→ ", frame);
        network.agenda()
                .note(owner.rank() * 8L + peer, frame.getClass().getName().hashCode());
        if (frame instanceof Frame.Grant grant && !unanswered.add(grant.grant())) {
            throw new Violation("a grant's number was used twice: rank=" + owner.rank() + ", grant=" + grant);
        }
        if (frame instanceof Frame.Data data) {
            owner.contents().check(data);
        }
        out().write(PassingBytes.copied(frame));
    }

    @Override
    public Traffic traffic() {
        return Traffic.NONE;
    }

    @Override
    public void flush() {
        if (!down && !closing) {
            out().flush();
        }
    }

    @Override
    public void withdraw(Frame.Data frame) {
        network.agenda().tell(owner.rank(), () -> "withdraws towards " + peer + " grant " + frame.grant());
        out().withdraw(frame);
    }

    @Override
    public void drain(long grant) {
        Arrival current = arriving;
        if (current != null && current.grant == grant) {
            network.agenda().tell(owner.rank(), () -> "drains from " + peer + " grant " + grant);
            current.destination = null;
        }
    }

    @Override
    public void close() {
        if (!down && !closing) {
            network.agenda().tell(owner.rank(), () -> "closes the link to " + peer);
            closing = true;
            out().end();
        }
    }

    /** Tells the engine how much would keep this way busy. */
    void window(long bytes) {
        mostWindowBytes = Math.max(mostWindowBytes, bytes);
        owner.event(() -> {
            network.agenda().tell(owner.rank(), () -> "may have " + bytes + " bytes under way from " + peer);
            owner.engine().window(peer, bytes, network.agenda().now());
        });
    }

    /** {@return the most that the engine was ever told so} */
    long mostWindowBytes() {
        return mostWindowBytes;
    }

    void tellWritable() {
        if (!down) {
            owner.event(() -> owner.engine().writable(peer, network.agenda().now()));
        }
    }

    void tellWritten(Frame.Data frame, boolean nowWritable) {
        if (!down) {
            owner.event(() -> {
                network.agenda().tell(owner.rank(), () -> "has written to " + peer + " grant " + frame.grant());
                owner.engine().written(peer, frame, network.agenda().now());
                if (nowWritable) {
                    owner.engine().writable(peer, network.agenda().now());
                }
            });
        }
    }

    void tellArrival(Wire in) {
        owner.event(() -> {
            for (Transmission unit = in.poll(); unit != null; unit = in.poll()) {
                if (!down) {
                    take(unit);
                }
            }
        });
    }

    private void take(Transmission unit) {
        switch (unit) {
            case Transmission.Control control -> frame(control.frame());
            case Transmission.Head head -> start(head);
            case Transmission.Lent lent -> lent(lent.loan());
            case Transmission.Bytes bytes -> arrived(bytes.bytes());
            case Transmission.End end -> goDown(end.cause());
        }
    }

    private void frame(Frame frame) {
        tell("← ", frame);
        if (frame instanceof Frame.Withdrawn withdrawn) {
            answered(withdrawn.grant());
        }
        try (PassingBytes passing = new PassingBytes()) {
            owner.engine().frame(peer, passing.through(frame), network.agenda().now());
        }
        if (frame instanceof Frame.Open) {
            owner.checkParked();
        }
    }

    private void start(Transmission.Head head) {
        network.agenda().tell(owner.rank(), () -> "← " + peer + "  " + head);
        answered(head.grant());
        arriving = new Arrival(
                head.grant(), head.lengthBytes(), owner.engine().dataStart(peer, head.grant(), head.lengthBytes()));
    }

    private void lent(VirtualLoan loan) {
        long grant = loan.frame().grant();
        answered(grant);
        network.agenda().tell(owner.rank(), () -> "← " + peer + "  lent " + grant);
        if (loan.isTakenBack()) {
            loan.giveBack();
            owner.engine()
                    .frame(peer, new Frame.Withdrawn(grant), network.agenda().now());
        } else {
            owner.engine().dataLent(peer, grant, loan, network.agenda().now());
        }
    }

    private void answered(long grant) {
        if (!unanswered.remove(grant)) {
            throw new Violation("a grant was answered twice, or never given: rank=" + owner.rank() + ", peer=" + peer
                    + ", grant=" + grant);
        }
    }

    private void arrived(byte[] bytes) {
        Arrival current = arriving;
        if (current == null) {
            return;
        }
        MemorySegment destination = current.destination;
        if (destination != null) {
            network.write(bytes, destination, current.arrived);
        }
        current.arrived += bytes.length;
        if (current.arrived == current.lengthBytes) {
            arriving = null;
            owner.engine().dataEnd(peer, current.grant, network.agenda().now());
        }
    }

    /** Questions about a call that waits for long say little and come often. */
    private void tell(String arrow, Frame frame) {
        boolean isTalk = frame instanceof Frame.Query || frame instanceof Frame.Status;
        if (!isTalk || network.agenda().now() < TALKATIVE_NANOS) {
            network.agenda().tell(owner.rank(), () -> arrow + peer + "  " + frame);
        }
    }

    /** The link has ended for its owner. */
    void goDown(@Nullable String cause) {
        if (!down) {
            down = true;
            out().forget();
            arriving = null;
            owner.event(() -> {
                network.agenda().tell(owner.rank(), () -> "link to " + peer + " is down: " + cause);
                owner.engine().down(peer, cause, network.agenda().now());
            });
        }
    }

    /** Nothing of what this end has sent and sends arrives any more. */
    void hush() {
        out().hush();
    }

    /** This end sends nothing more; the other end learns the cause. */
    void cut(String cause) {
        out().cut(cause);
    }

    /** Requires that a link that nobody ended holds nothing. */
    void checkIdle() {
        if (down || closing) {
            return;
        }
        if (!out().isEmpty() || arriving != null) {
            throw new Violation("a link still holds frames at the end: rank=" + owner.rank() + ", peer=" + peer);
        }
        if (!unanswered.isEmpty()) {
            throw new Violation(
                    "grants were never answered: rank=" + owner.rank() + ", peer=" + peer + ", grants=" + unanswered);
        }
    }
}
