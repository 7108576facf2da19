package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * The agreement of all ranks of a group on groups to be made of some of them.
 *
 * <p>It is a barrier, so that no member can use a new group before every member knows of it.
 *
 * @param members the ranks, in this group, of which groups are made: of one group, or of all groups of a split, end to end
 * @param groups where each of them ends in {@code members}
 */
public record NewGroup(List<Integer> members, List<Integer> groups) implements NoTensor {

    public NewGroup {
        members = List.copyOf(members);
        groups = List.copyOf(groups);
    }

    /** Of one group. */
    public static NewGroup of(int... ranks) {
        return new NewGroup(Arrays.stream(ranks).boxed().toList(), List.of(ranks.length));
    }

    @Override
    public Operation operation() {
        return Operation.NEW_GROUP;
    }

    @Override
    public Signature signature() {
        long agreement = 1;
        for (int member : members) {
            agreement = Fingerprint.mix(agreement, member);
        }
        for (int end : groups) {
            agreement = Fingerprint.mix(agreement, ~end);
        }
        return new Signature(Operation.NEW_GROUP, DType.UINT8, 0, Signature.NO_ROOT, null, agreement);
    }

    @Override
    public Supplier<String> words() {
        return () -> label() + "(" + members + ")";
    }

    @Override
    public NewGroup checkedFor(int rank, int size) {
        if (members.isEmpty() && !groups.isEmpty()) {
            throw new InvalidCallException(label() + " got no ranks: ranks=[]; name at least one rank");
        }
        boolean[] seen = new boolean[size];
        for (int member : members) {
            if (member < 0 || member >= size) {
                throw new InvalidCallException(label() + " got a rank outside the group: rank=" + member + ", size="
                        + size + "; name ranks from 0 to " + (size - 1));
            }
            if (seen[member]) {
                throw new InvalidCallException(
                        label() + " got a rank twice: rank=" + member + ", ranks=" + members + "; name each rank once");
            }
            seen[member] = true;
        }
        return this;
    }
}
