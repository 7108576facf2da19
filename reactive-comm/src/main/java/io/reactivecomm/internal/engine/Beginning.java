package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.schedule.Message;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The beginning of calls: refused, opened towards their partners, or matched with what partners have opened. Owned by the loop. */
final class Beginning {

    private static final Frame.@Nullable Open[] NOTHING_MET = {};

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Composites composites;
    private final ForeignCalls foreign;
    private final Steps steps;
    private final Contradictions contradictions;
    private final Watch watch;
    private final Signals signals;
    private final BiConsumer<Peer, ProtocolException> broken;

    /** @param broken takes a peer whose opening makes no sense */
    Beginning(
            World world,
            Calls calls,
            Messages messages,
            Composites composites,
            ForeignCalls foreign,
            Steps steps,
            Contradictions contradictions,
            Watch watch,
            Signals signals,
            BiConsumer<Peer, ProtocolException> broken) {
        this.world = world;
        this.calls = calls;
        this.messages = messages;
        this.composites = composites;
        this.foreign = foreign;
        this.steps = steps;
        this.contradictions = contradictions;
        this.watch = watch;
        this.signals = signals;
        this.broken = broken;
    }

    void begin(Submission submission) {
        Failure refusal = submission.group().refusal();
        Composite within = submission.within();
        if (refusal != null) {
            signals.failed(submission.sink(), refusal);
            return;
        }
        if (within != null && !within.isOpen()) {
            composites.refuseCall(within, submission.sink());
            return;
        }
        switch (submission.body()) {
            case Submission.Body.Invalid invalid -> refuse(submission, invalid.failure());
            case Submission.Body.Valid valid -> {
                switch (submission.address()) {
                    case Submission.Address.Collectively collective ->
                        beginCollective(admit(submission), valid, collective.key());
                    case Submission.Address.To to -> beginSend(admit(submission), valid, to);
                    case Submission.Address.From from -> beginReceive(admit(submission), from);
                }
            }
        }
    }

    private Call admit(Submission submission) {
        Call call = calls.admit(submission);
        watch.admitted(call);
        return call;
    }

    /** Fails a call whose arguments were wrong, and tells the ranks that will wait for it. */
    private void refuse(Submission submission, Failure failure) {
        GroupState group = submission.group();
        switch (submission.address()) {
            case Submission.Address.Collectively collective -> {
                calls.tombstones().put(collective.key(), failure);
                world.tell(group, new Frame.Abort(collective.key(), failure));
                world.forgetOpenings(collective.key());
                composites.failed(collective.key(), failure);
                calls.noteRefused(submission, collective.key(), failure);
            }
            case Submission.Address.To to -> {
                if (isOther(group, to.peer())) {
                    Peer peer = world.peer(group.worldRank(to.peer()));
                    world.messages(peer).refuse(messageKey(submission, to, peer), failure);
                }
            }
            case Submission.Address.From from -> {
                if (isOther(group, from.peer())) {
                    Peer source = world.peer(group.worldRank(from.peer()));
                    awaitedNumber(submission, source);
                    messages.refuse(submission, from, source, failure);
                }
            }
        }
        signals.failed(submission.sink(), failure);
    }

    private static boolean isOther(GroupState group, int peer) {
        return peer >= 0 && peer < group.size() && peer != group.rank();
    }

    /** In a composite call and in a step messages are counted by name and tag: so ranks can tell which of them is missing. */
    private CallKey.Message messageKey(Submission submission, Submission.Address.To to, Peer peer) {
        GroupState group = submission.group();
        Composite within = submission.within();
        Enclosure enclosure = within == null ? null : within.enclosure();
        return new CallKey.Message(
                group.generation(),
                group.id(),
                to.step(),
                to.name(),
                to.tag(),
                group.rank(),
                to.peer(),
                number(submission, peer),
                enclosure);
    }

    private long number(Submission submission, Peer receiver) {
        Composite within = submission.within();
        Channel channel = submission.channel();
        long known = submission.messageNumber();
        if (within != null) {
            return composites.nextSent(within, channel, receiver, known);
        }
        if (channel.isCounted()) {
            return steps.nextSent(channel, receiver, known);
        }
        return known < 0 ? world.messages(receiver).nextNumber() : known;
    }

    private void beginCollective(Call call, Submission.Body.Valid body, CallKey.Ticket key) {
        Failure known = calls.tombstones().find(key);
        if (!calls.bind(call, key, body.collectives())) {
            return;
        }
        Peer departed = departed(call);
        if (known != null) {
            calls.failed(call, known);
        } else if (departed != null) {
            calls.failedEverywhere(call, Failures.departed(call.collective().label(), key.label(), departed.rank()));
        } else if (!contradictions.begun(call, key)) {
            GroupState forms = call.submission().forms();
            if (forms != null) {
                world.register(forms);
            }
            start(call, call.group());
        }
    }

    /** {@return a rank that has left and that the call deals with; one that it does not may have done its part} */
    private static @Nullable Peer departed(Call call) {
        for (int i = 0; i < call.partners().size(); i++) {
            Peer peer = call.partners().get(i).peer;
            if (!call.group().isReachable(peer)) {
                return peer;
            }
        }
        return null;
    }

    private void start(Call call, GroupState group) {
        CallKey key = Objects.requireNonNull(call.key());
        watch.begun(call, key);
        Frame.@Nullable Open[] met = NOTHING_MET;
        for (int i = 0; i < group.size(); i++) {
            Peer peer = i == group.rank() ? null : world.peer(group.worldRank(i));
            Frame.Open open = peer == null ? null : world.openings(peer).take(key);
            if (peer != null && open != null) {
                if (!agree(call, peer, open)) {
                    return;
                }
                met = met == NOTHING_MET ? new Frame.@Nullable Open[group.size()] : met;
                met[i] = open;
            }
        }
        for (int i = 0; i < call.partners().size(); i++) {
            Partner partner = call.partners().get(i);
            world.openings(partner.peer).open(partner);
        }
        for (int i = 0; i < met.length; i++) {
            Frame.Open open = met[i];
            if (open != null) {
                exchange(Objects.requireNonNull(call.partner(world.peer(group.worldRank(i)))), open);
            }
        }
        call.advanceAll();
        call.touched();
    }

    /** {@return whether a peer's opening agrees with the call; otherwise the call is in dispute} */
    private boolean agree(Call call, Peer peer, Frame.Open open) {
        Partner partner = call.partner(peer);
        if (partner == null || !partner.agrees(open)) {
            contradictions.dispute(call);
            return false;
        }
        partner.matched(open.call());
        calls.matched(call, peer);
        return true;
    }

    /** Takes in what an opening says is ready; a peer whose opening contradicts the call is not one of us. */
    private void exchange(Partner partner, Frame.Open open) {
        if (!partner.call.isRunning()) {
            return;
        }
        try {
            partner.exchange(open.edges());
        } catch (ProtocolException e) {
            broken.accept(partner.peer, e);
        }
    }

    /** A peer opened a call that runs here. */
    void join(Call call, Peer peer, Frame.Open open) {
        if (!call.isRunning() || !agree(call, peer, open)) {
            return;
        }
        Partner partner = Objects.requireNonNull(call.partner(peer));
        if (call.key() instanceof CallKey.Message message) {
            world.messages(peer).taken(message);
        } else {
            world.openings(peer).matched(partner);
        }
        exchange(partner, open);
        call.touched();
    }

    private void beginSend(Call call, Submission.Body.Valid body, Submission.Address.To to) {
        GroupState group = call.group();
        Peer peer = world.peer(group.worldRank(to.peer()));
        CallKey.Message key = messageKey(call.submission(), to, peer);
        foreign.ends().sent(key, peer);
        calls.bind(call, key, body.collectives());
        if (group.isReachable(peer)) {
            world.messages(peer).open(key, Objects.requireNonNull(call.partner(peer)));
        } else {
            calls.failed(call, Failures.departed("send", key.label(), peer.rank()));
        }
    }

    private void beginReceive(Call call, Submission.Address.From from) {
        GroupState group = call.group();
        List<Peer> sources = from.peer() < 0 ? world.others(group) : List.of(world.peer(group.worldRank(from.peer())));
        long number = from.peer() < 0
                ? call.submission().messageNumber()
                : awaitedNumber(call.submission(), sources.getFirst());
        Messages.ArrivedMessage arrival = messages.post(call, from.peer(), sources, number);
        if (arrival != null) {
            receive(call, arrival);
        } else if (sources.stream().noneMatch(group::isReachable)) {
            messages.unpost(call, Failures.closed(world.rank()));
            int gone = sources.isEmpty() ? world.rank() : sources.getFirst().rank();
            calls.failed(call, Failures.departed("receive", call.label(), gone));
        }
    }

    /** {@return which message of its source a receive is for that begins now, if they are counted} */
    private long awaitedNumber(Submission receive, Peer source) {
        Composite within = receive.within();
        Channel channel = receive.channel();
        long known = receive.messageNumber();
        if (!channel.isCounted()) {
            return known;
        }
        return within == null
                ? steps.nextAwaited(channel, source.rank(), known)
                : within.messages().nextAwaited(channel, source.rank(), known);
    }

    private void takenFromAny(Call receive, Messages.ArrivedMessage arrival) {
        Submission submission = receive.submission();
        Channel channel = submission.channel();
        if (channel.isCounted() && submission.address() instanceof Submission.Address.From from && from.peer() < 0) {
            messages.wantAfter(
                    channel, arrival.peer(), arrival.key().source(), awaitedNumber(submission, arrival.peer()));
        }
    }

    /** {@return whether a peer tells of the receive that took a message of this rank, whose call has ended meanwhile; its credit is back} */
    boolean wasTaken(Peer peer, CallKey.Message key) {
        GroupState group = world.group(key.group());
        boolean isOwn =
                group != null && key.source() == group.rank() && key.destination() == group.groupRank(peer.rank());
        if (isOwn) {
            world.messages(peer).taken(key);
        }
        return isOwn;
    }

    /** A message came that no call here knows. */
    void messageArrived(Messages.ArrivedMessage arrival) {
        GroupState group = world.group(arrival.key().group());
        if (group == null) {
            return;
        }
        int sender = group.groupRank(arrival.peer().rank());
        if (arrival.key().destination() != group.rank() || arrival.key().source() != sender) {
            throw new ProtocolException("a message came by another way than it says: call="
                    + arrival.key().label());
        }
        Call call = messages.arrived(arrival);
        if (call != null) {
            receive(call, arrival);
        } else if (arrival.key().step() != CallKey.NO_STEP) {
            steps.refuseMessages(group, Channel.of(arrival.key()));
        }
    }

    /** A message and its receive have met. */
    private void receive(Call call, Messages.ArrivedMessage arrival) {
        takenFromAny(call, arrival);
        Frame.Open open = arrival.open();
        Failure failure = arrival.failure();
        if (open == null || failure != null) {
            Failure sent = Objects.requireNonNull(failure);
            arrival.peer().tell(new Frame.Abort(arrival.key(), sent));
            calls.failed(call, sent);
            return;
        }
        if (!arrival.peer().isUp()) {
            calls.failed(
                    call,
                    Failures.departed(
                            "receive", arrival.key().label(), arrival.peer().rank()));
            return;
        }
        Submission.Body.Valid body = (Submission.Body.Valid) call.submission().body();
        Schedule schedule =
                Message.receive(arrival.key().source(), call.signature().count());
        calls.bind(call, arrival.key(), List.of(body.collectives().getFirst().withSchedule(schedule)));
        Partner partner = Objects.requireNonNull(call.partner(arrival.peer()));
        partner.matched(open.call());
        if (!partner.agrees(open)) {
            Failure differ = CallFailures.mismatchedMessage(
                    call,
                    world.rank(),
                    open.signature().describe(),
                    arrival.peer().rank());
            arrival.peer().tell(new Frame.Abort(arrival.key(), differ));
            calls.failed(call, differ);
            return;
        }
        calls.matched(call, arrival.peer());
        partner.open();
        exchange(partner, open);
        call.touched();
    }
}
