package io.reactivecomm.observe;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A call as its observers see it: who it is, and how far it has come. It holds no tensor. One object from its subscription to its end, so observers may
 * keep what they know of it by it.
 *
 * <p><b>Threads.</b> Any for who it is; how far it has come is to be read where observers are told.
 */
public interface ObservedCall {

    /** The {@link #peer()} of a call that has none, or none that is known yet. */
    int NO_PEER = -1;

    /** The {@link #count()} of a call whose parts differ, and of one that has no elements of its own. */
    long NO_COUNT = -1;

    /** {@return a number that no other observed call of this process has} */
    long number();

    /** {@return this rank in the world} */
    int rank();

    /** {@return the group's number, the same on all its ranks; 0 is the world} */
    long group();

    /** {@return how many ranks the group has} */
    int groupSize();

    /** {@return how many ranks the world has, if that is known} */
    default OptionalInt worldSize() {
        return OptionalInt.empty();
    }

    /** {@return the name under which the group counts the call, or the stream that it is a message of; empty by default} */
    String name();

    /** {@return the number given to {@link io.reactivecomm.ProcessGroup#numbered} for the scope in which it is counted, if it is in one} */
    OptionalLong step();

    /**
     * {@return the composite call's run that it is part of, such as {@code gradients#4}, or the stream, such as {@code items.stream#0[1→0, tag=7]}; empty if
     * it is in none}
     */
    String composite();

    /** {@return the call in messages, such as {@code layer1.weight#2}; of a message without its number until that is known} */
    String label();

    /** {@return its place among the calls of its name; of a message its number among those between its two ranks, once that is known} */
    OptionalLong ticket();

    /** {@return which subscription of the assembled call it is, from 1} */
    int ordinal();

    /** {@return what is done, such as {@code all-reduce}; of a composite call its operation; empty of a call that could not be made} */
    String operation();

    /** {@return whether it is a composite call or an end of a stream, whose parts are calls of their own} */
    boolean isComposite();

    /** {@return the element type, such as {@code FLOAT32}; empty of a call without elements of its own} */
    String type();

    /** {@return its elements, as the operation counts them, or {@link #NO_COUNT}} */
    long count();

    /** {@return its size as nccl-tests counts it, in bytes, as {@link io.reactivecomm.Work#byteSize} has it; 0 of a call without elements of its own} */
    long byteSize();

    /** {@return how elements are combined, such as {@code SUM}; empty where they are not} */
    String reduction();

    /** {@return the schedule that runs it; empty where none is chosen} */
    String algorithm();

    /** {@return the engine that performs it, such as {@code links}; empty of a composite call} */
    String backend();

    /** {@return the other rank of a message, in the group, or {@link #NO_PEER}} */
    int peer();

    /** {@return when it was subscribed to, by the loop's clock} */
    long subscribedAt();

    /** {@return how long it has been in which phase; complete at its end} */
    CallPhases phases();

    /** {@return payload bytes that this rank has given to its links for the call, if the engine knows} */
    OptionalLong payloadBytes();

    /**
     * {@return bytes of headers that this rank has given to its links for the call, if the engine knows: of its openings, announcements, grants and pieces}
     * Each is counted as it is by itself; links put openings that follow each other into one frame, so that fewer bytes travel. Links within a JVM have no
     * headers.
     */
    default OptionalLong headerBytes() {
        return OptionalLong.empty();
    }

    /**
     * {@return the place of the program that assembled the call, such as {@code com.example.Training.step:42}; empty unless an observer
     * {@linkplain CommObserver#wantsCallSites asked} for it before}
     */
    default String callSite() {
        return "";
    }
}
