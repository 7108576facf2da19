package io.reactivecomm.internal.group;

import io.reactivecomm.TensorMemory;
import io.reactivecomm.internal.backend.Backends;
import java.util.List;

/**
 * The traits that all groups of a world have in common.
 *
 * @param plans chooses and keeps schedules
 * @param backends which engine serves which tensors
 * @param switches operations that do nothing
 * @param callSites whether calls carry the place in the program that assembled them
 * @param host the identity of this rank's machine
 * @param hosts the number of each rank's machine, by rank in the world
 * @param objectBytes the largest object of an object collective, encoded
 * @param memory where tensors are taken from that links reach best
 */
record GroupTraits(
        Plans plans,
        Backends backends,
        Switches switches,
        boolean callSites,
        String host,
        List<Integer> hosts,
        long objectBytes,
        TensorMemory memory) {

    GroupTraits with(Backends otherBackends, Switches otherSwitches) {
        return new GroupTraits(plans, otherBackends, otherSwitches, callSites, host, hosts, objectBytes, memory);
    }

    /** {@return the memory of the host and of the engines' devices} */
    Memories memories() {
        return new Memories(memory, backends);
    }
}
