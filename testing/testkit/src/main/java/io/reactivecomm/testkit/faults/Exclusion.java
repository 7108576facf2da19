package io.reactivecomm.testkit.faults;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A rule about combinations that there cannot be.
 *
 * @param applies whether a cell is one of them
 * @param reason why
 */
record Exclusion(Predicate<Cell> applies, String reason) {

    private static final Set<Fault> OF_PROCESSES = EnumSet.of(Fault.KILL, Fault.EXIT, Fault.STOP, Fault.MEMORY_FULL);
    private static final Set<Fault> OF_ACCEPTORS = EnumSet.of(Fault.WRONG_TOKEN, Fault.FLOOD);

    /** The first that applies counts. */
    static final List<Exclusion> RULES = List.of(
            of(LinkKind.LOCAL, OF_PROCESSES, "the ranks of a local world are one process: nobody is left to be told"),
            of(LinkKind.LOCAL, OF_ACCEPTORS, "a local world has no store and no acceptor"),
            new Exclusion(
                    cell -> cell.fault().isOfNetwork() && cell.transport() != LinkKind.TCP,
                    "between ranks of one process or one host there is no network to fail"),
            new Exclusion(
                    cell -> cell.fault() == Fault.DISK_FULL && cell.transport() != LinkKind.SHM,
                    "only shared memory takes room that the system may refuse"),
            new Exclusion(
                    cell -> cell.phase() == Phase.RENDEZVOUS && cell.transport() == LinkKind.LOCAL,
                    "a local world is there at once"),
            new Exclusion(
                    cell -> cell.phase() == Phase.RENDEZVOUS && cell.fault().isOnLoop(),
                    "before there is a group no program runs on its loop"),
            new Exclusion(
                    cell -> cell.phase() == Phase.RENDEZVOUS
                            && cell.transport() == LinkKind.SHM
                            && cell.fault() != Fault.DISK_FULL,
                    "shared memory begins once the links of tcp are there: their rendezvous is its own"));

    private static Exclusion of(LinkKind transport, Set<Fault> faults, String reason) {
        return new Exclusion(cell -> cell.transport() == transport && faults.contains(cell.fault()), reason);
    }

    /** {@return why there is no such cell, or nothing if there is} */
    static Optional<String> reason(Cell cell) {
        return RULES.stream()
                .filter(rule -> rule.applies().test(cell))
                .map(Exclusion::reason)
                .findFirst();
    }
}
