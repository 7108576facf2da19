package io.reactivecomm.internal.group;

import io.reactivecomm.HostPlace;
import io.reactivecomm.TensorMemory;
import io.reactivecomm.internal.backend.Backends;
import io.reactivecomm.internal.switches.WorldSwitches;
import java.util.List;

/**
 * The traits that all groups of a world have in common.
 *
 * @param plans chooses and keeps schedules
 * @param backends which engine serves which tensors
 * @param switches the operations that do nothing
 * @param callSites whether calls carry the place in the program that assembled them
 * @param place this rank's place on its machine, whose identity it has, all of it known
 * @param hosts the number of each rank's machine, by rank in the world
 * @param objectBytes the largest object of an object collective, encoded
 * @param memory where tensors are taken from that links reach best
 */
record GroupTraits(
        Plans plans,
        Backends backends,
        WorldSwitches switches,
        boolean callSites,
        HostPlace place,
        List<Integer> hosts,
        long objectBytes,
        TensorMemory memory) {

    GroupTraits with(Backends otherBackends, WorldSwitches otherSwitches) {
        return new GroupTraits(plans, otherBackends, otherSwitches, callSites, place, hosts, objectBytes, memory);
    }

    /** {@return the memory of the host and of the engines' devices} */
    Memories memories() {
        return new Memories(memory, backends);
    }
}
