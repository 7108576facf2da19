package io.reactivecomm.testkit.collective;

import io.reactivecomm.Operation;
import java.util.List;

/** The calls of a group, told apart by how their tensors are cut. */
public enum Form {
    ALL_REDUCE(Operation.ALL_REDUCE),
    ALL_REDUCE_COALESCED(Operation.ALL_REDUCE),
    INFERENCE_ALL_REDUCE(Operation.INFERENCE_ALL_REDUCE),
    REDUCE(Operation.REDUCE),
    BROADCAST(Operation.BROADCAST),
    ALL_GATHER(Operation.ALL_GATHER),
    ALL_GATHER_RAGGED(Operation.ALL_GATHER),
    ALL_GATHER_COALESCED(Operation.ALL_GATHER),
    REDUCE_SCATTER(Operation.REDUCE_SCATTER),
    REDUCE_SCATTER_RAGGED(Operation.REDUCE_SCATTER),
    ALL_TO_ALL(Operation.ALL_TO_ALL),
    ALL_TO_ALL_SPLITS(Operation.ALL_TO_ALL),
    ALL_TO_ALL_LISTS(Operation.ALL_TO_ALL),
    GATHER(Operation.GATHER),
    SCATTER(Operation.SCATTER),
    BARRIER(Operation.BARRIER),
    MONITORED_BARRIER(Operation.MONITORED_BARRIER),
    NEW_GROUP(Operation.NEW_GROUP),
    MESSAGE(Operation.MESSAGE),
    /** A scope in which the tensors are, in turn, all-reduced, broadcast from the root and reduced to it. */
    SCOPE(Operation.COALESCED);

    /** The calls of a {@link #SCOPE}. */
    public static final List<Form> SCOPED = List.of(ALL_REDUCE, BROADCAST, REDUCE);

    private final Operation operation;

    Form(Operation operation) {
        this.operation = operation;
    }

    /** {@return what is done} */
    public Operation operation() {
        return operation;
    }

    /** {@return whether elements are combined} */
    public boolean reduces() {
        return switch (operation) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, REDUCE_SCATTER, COALESCED -> true;
            case BROADCAST, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, BARRIER, MONITORED_BARRIER, MESSAGE, NEW_GROUP ->
                false;
        };
    }

    /** {@return whether one rank is the root} */
    public boolean hasRoot() {
        return this == REDUCE || this == BROADCAST || this == GATHER || this == SCATTER;
    }

    /** {@return whether nothing crosses but headers} */
    public boolean isSilent() {
        return this == BARRIER || this == MONITORED_BARRIER || this == NEW_GROUP;
    }

    /** {@return whether each pair of ranks agrees by itself on what goes between the two} */
    public boolean isPairwise() {
        return this == ALL_TO_ALL_SPLITS || this == ALL_TO_ALL_LISTS || this == GATHER || this == SCATTER;
    }

    /** {@return whether each tensor is both input and output} */
    public boolean hasOneTensor() {
        return this == REDUCE || this == BROADCAST || this == INFERENCE_ALL_REDUCE || this == MESSAGE || this == SCOPE;
    }

    /** {@return how many lengths say what a call of so many ranks moves; 0 for as many as one likes} */
    public int lengths(int size) {
        return switch (this) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, MESSAGE ->
                1;
            case ALL_GATHER_RAGGED, REDUCE_SCATTER_RAGGED, GATHER, SCATTER -> size;
            case ALL_TO_ALL_SPLITS, ALL_TO_ALL_LISTS -> size * size;
            case ALL_REDUCE_COALESCED, ALL_GATHER_COALESCED, BARRIER, MONITORED_BARRIER, NEW_GROUP, SCOPE -> 0;
        };
    }
}
