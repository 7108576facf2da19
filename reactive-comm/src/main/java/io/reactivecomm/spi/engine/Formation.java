package io.reactivecomm.spi.engine;

/** The ranks without which an {@link OrderedEngine} cannot open a group. */
public enum Formation {
    /** None: the engine keeps nothing for a group, and no turn opens or frees one. */
    NOBODY,
    /** Its members, as {@code MPI_Comm_create_group} has it. */
    MEMBERS,
    /** All ranks of a group that it is split from, as {@code ncclCommSplit} has it. */
    PARENT
}
