package io.reactivecomm.netty.internal.life;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Failure detectors of a whole world, which beat over a network that loses and delays, by a clock of its own. */
final class HeartbeatSimulation {

    static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** Says whether what one rank sends at a time reaches another. */
    interface Reach {

        boolean reaches(int from, int to, long at);
    }

    /**
     * The state of the network.
     *
     * @param lossPercent of the beats
     * @param mostDelayMillis of a beat
     */
    record Weather(int lossPercent, int mostDelayMillis) {}

    /**
     * A comparison of clocks that was told.
     *
     * @param error what the offset is off by
     */
    record Compared(int rank, int peer, PeerClock.Estimate estimate, long error) {}

    private record Event(long at, long order, Runnable what) {}

    /** One rank and what it has found, each with its time. */
    final class Rank {

        final int number;
        final FailureDetector detector;
        final TreeMap<Integer, Long> lost = new TreeMap<>();
        final TreeMap<Integer, Long> cut = new TreeMap<>();
        final TreeMap<Integer, Detection.Cut> cuts = new TreeMap<>();
        private final Map<Integer, Long> latest = new HashMap<>();
        private final Map<Integer, PeerClock> clocks = new HashMap<>();
        private final long clockAhead = planted.nextLong();
        private final long partsPerMillion = planted.nextLong(-50, 50);
        private long sent;
        private long beats;
        private BitSet before = new BitSet();

        Rank(int number) {
            this.number = number;
            this.detector = new FailureDetector(number, size, terms);
            for (int peer = 0; peer < size; peer++) {
                if (peer != number) {
                    detector.watch(peer, 0);
                }
            }
            at(dice.nextLong(terms.beatNanos()), this::look);
        }

        /** {@return what its clock shows at that time of the world} */
        private long clock(long at) {
            return clockAhead + at + at * partsPerMillion / 1_000_000;
        }

        /** {@return the time of the world at which its clock shows that} */
        private long when(long clock) {
            return clock - clockAhead - (clock - clockAhead) * partsPerMillion / 1_000_000;
        }

        private PeerClock clockOf(int peer) {
            return clocks.computeIfAbsent(peer, _ -> new PeerClock());
        }

        private void compare(Rank sender, ClockStamps stamps) {
            PeerClock.Estimate estimate = clockOf(sender.number).heard(stamps, clock(now));
            if (estimate != null) {
                long offset = sender.clock(when(estimate.at())) - estimate.at();
                compared.add(new Compared(number, sender.number, estimate, estimate.offsetNanos() - offset));
            }
        }

        private void look() {
            boolean wasUneasy = detector.isUneasy();
            List<Detection> findings = detector.look(now);
            findings.forEach(this::sayCloseReason);
            findings.forEach(this::note);
            boolean isUneasy = detector.isUneasy();
            BitSet after = state();
            if (!isUneasy || beats++ % 2 == 0 || !after.equals(before) || !wasUneasy) {
                beat();
            }
            before = after;
            at(now + terms.lookNanos(isUneasy), this::look);
        }

        private BitSet state() {
            BitSet state = new BitSet();
            detector.cuts().stream().forEach(each -> state.set(2 * each));
            detector.lost().stream().forEach(each -> state.set(2 * each + 1));
            return state;
        }

        private void sayCloseReason(Detection finding) {
            switch (finding) {
                case Detection.Silent ignored -> {}
                case Detection.Lost found -> sendUnlessOwn(found.rank());
                case Detection.Cut found -> sendUnlessOwn(found.peer());
            }
        }

        private void sendUnlessOwn(int peer) {
            if (peer != number) {
                send(ranks.get(peer));
            }
        }

        private void note(Detection finding) {
            switch (finding) {
                case Detection.Silent ignored -> {}
                case Detection.Lost found -> lost.putIfAbsent(found.rank(), now);
                case Detection.Cut found -> {
                    cut.putIfAbsent(found.peer(), now);
                    cuts.putIfAbsent(found.peer(), found);
                }
            }
        }

        private void beat() {
            for (Rank peer : ranks) {
                boolean isWatched = !lost.containsKey(peer.number) && !cut.containsKey(peer.number);
                if (peer != this && isWatched && dice.nextInt(100) >= weather.lossPercent()) {
                    send(peer);
                }
            }
        }

        /** Over the network; the reason for a close is sent again until it is there, if there is a way. */
        private void send(Rank peer) {
            long sequence = ++sent;
            BitSet suspects = (BitSet) detector.suspects().clone();
            BitSet cutFrom = (BitSet) detector.cuts().clone();
            BitSet found = (BitSet) detector.lost().clone();
            ClockStamps stamps = clockOf(peer.number).stamps(clock(now));
            if (reach.reaches(number, peer.number, now)) {
                at(now + 1 + dice.nextLong(weather.mostDelayMillis() * MILLI), () -> {
                    peer.detector.heard(number, now);
                    if (peer.latest.merge(number, sequence, Math::max) == sequence) {
                        peer.detector.told(number, suspects, cutFrom, found);
                        peer.compare(this, stamps);
                    }
                });
            }
        }

        TreeSet<Integer> cutFromLivePeers() {
            TreeSet<Integer> peers = new TreeSet<>(cut.keySet());
            peers.removeAll(lost.keySet());
            return peers;
        }
    }

    final List<Rank> ranks = new ArrayList<>();
    final List<Compared> compared = new ArrayList<>();
    private final int size;
    private final HeartbeatTerms terms;
    private final Weather weather;
    private final Reach reach;
    private final Random dice;
    /** Of the clocks alone, so that these leave the beats as they are. */
    private final Random planted;

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private long now;
    private long order;

    HeartbeatSimulation(int size, HeartbeatTerms terms, Weather weather, Reach reach, long seed) {
        this.size = size;
        this.terms = terms;
        this.weather = weather;
        this.reach = reach;
        this.dice = new Random(seed);
        this.planted = new Random(~seed);
        for (int rank = 0; rank < size; rank++) {
            ranks.add(new Rank(rank));
        }
    }

    private void at(long when, Runnable what) {
        events.add(new Event(when, order++, what));
    }

    HeartbeatSimulation run(long until) {
        for (Event next = events.poll(); next != null && next.at <= until; next = events.poll()) {
            now = next.at;
            next.what.run();
        }
        return this;
    }
}
