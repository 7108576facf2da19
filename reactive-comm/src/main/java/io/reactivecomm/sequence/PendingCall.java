package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A call at the leader until it is announced or has failed: on which ranks it is ready, and as what. */
final class PendingCall {

    private final CallKey key;
    private final LeaderGroup roster;
    /** The world ranks whose call it is. */
    private final List<Integer> members;

    private final Map<Integer, Notice.Ready> said = new TreeMap<>();
    private final Set<Integer> askers = new TreeSet<>();
    private final Set<Integer> assembled = new TreeSet<>();
    private int priority = Integer.MIN_VALUE;
    private boolean sharesMemory;
    private boolean differs;
    /** Some member exchanges messages with another, in a scope. */
    private boolean exchanges;

    PendingCall(CallKey key, LeaderGroup roster) {
        this.key = key;
        this.roster = roster;
        this.members = roster.membersOf(key);
    }

    CallKey key() {
        return key;
    }

    LeaderGroup roster() {
        return roster;
    }

    /** {@return how urgent it is: what the rank says that has most to say} */
    int priority() {
        return priority;
    }

    /** {@return whether it shares memory, on some member, with a call that was in flight there before it} */
    boolean sharesMemory() {
        return sharesMemory;
    }

    /** A member is ready. */
    void ready(int worldRank, Notice.Ready ready) {
        Notice.Ready first = said.isEmpty() ? ready : said.values().iterator().next();
        if (said.putIfAbsent(worldRank, ready) != null) {
            throw new ProtocolException("a call was ready twice: call=" + key.label() + ", rank=" + worldRank);
        }
        priority = Math.max(priority, ready.priority());
        sharesMemory |= ready.sharesMemory();
        exchanges |= !ready.exchanged().isEmpty();
        differs |= !first.signature().equals(ready.signature())
                || exchanges && Exchanges.differing(worldRank, ready, said) != null;
    }

    /** A member wants to know who is missing. */
    void asked(int worldRank) {
        askers.add(worldRank);
    }

    Set<Integer> askers() {
        return askers;
    }

    /** A member's program has assembled it and not subscribed to it. {@return whether that is news} */
    boolean assembled(int worldRank) {
        return assembled.add(worldRank);
    }

    /** {@return whether a member has assembled it that is not ready} */
    boolean isAssembledWhereMissing() {
        return !said.keySet().containsAll(assembled);
    }

    /** {@return what members did last that are not ready, for a sentence} */
    String latest() {
        return roster.latestOf(missing(), assembled);
    }

    List<Integer> members() {
        return members;
    }

    /** {@return what a member calls it: one that receives from any had no number for it} */
    CallKey keyOn(int worldRank) {
        Notice.Ready ready = said.get(worldRank);
        return ready == null ? key : ready.key();
    }

    /** {@return whether two ranks called different things} */
    boolean differs() {
        return differs;
    }

    /** {@return whether all members have said that they are ready} */
    boolean isComplete() {
        return said.size() == members.size();
    }

    /** {@return who said what, by world rank} */
    Map<Integer, Notice.Ready> said() {
        return said;
    }

    /** {@return whether a member, which that rank is, is not ready} */
    boolean lacks(int worldRank) {
        return !said.containsKey(worldRank) && members.contains(worldRank);
    }

    /** {@return names by which it is announced: its own, and those of the runs that it is in} */
    int names() {
        Enclosure enclosure = key.enclosure();
        return enclosure == null ? 1 : 1 + enclosure.depth();
    }

    /** {@return the members that are not ready} */
    List<Integer> missing() {
        List<Integer> missing = new ArrayList<>(members);
        missing.removeAll(said.keySet());
        return missing;
    }
}
