package io.reactivecomm.simulator;

import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.testkit.SeededRandom;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The network that all links and ranks of one virtual world share.
 *
 * @param observers who hears of the calls of groups that are there from the beginning
 */
record VirtualNetwork(
        EventQueue agenda,
        SeededRandom dice,
        NetworkConditions weather,
        List<Integer> hosts,
        ScribbledMemory memory,
        Observers observers) {

    /** One in which nobody observes. */
    VirtualNetwork(EventQueue agenda, SeededRandom dice, Scenario scenario, ScribbledMemory memory) {
        this(agenda, dice, scenario.weather(), scenario.hosts(), memory, Observers.ofWorld(List.of()));
    }

    /** {@return whether payloads between two ranks are read where they lie} */
    boolean lends(int rank, int other) {
        return weather.lends() && hosts.get(rank).equals(hosts.get(other));
    }

    /** Lets something happen after a random delay of this network. */
    void soon(Runnable action) {
        agenda.at(agenda.now() + weather.delay(dice), action);
    }

    /** {@return the bytes of a payload's part, which must still belong to a call} */
    byte[] read(MemorySegment payload, int from, int count) {
        MemorySegment part = payload.asSlice(from, count);
        memory.checkBorrowed(part, "read");
        return part.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Writes bytes that have come, into memory that must still belong to a call. */
    void write(byte[] bytes, MemorySegment destination, int at) {
        MemorySegment part = destination.asSlice(at, bytes.length);
        memory.checkBorrowed(part, "wrote");
        part.copyFrom(MemorySegment.ofArray(bytes));
    }
}
