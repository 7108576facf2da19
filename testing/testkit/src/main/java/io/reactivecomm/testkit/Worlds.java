package io.reactivecomm.testkit;

import io.reactivecomm.DType;
import io.reactivecomm.Reduction;

/** The source of a contract's worlds. */
public interface Worlds {

    /** {@return a new world of that many ranks} */
    WorldContract.World open(int size);

    /** {@return whether links perform all calls, so that one of their algorithms can be asked for by name} */
    default boolean areOverLinks() {
        return true;
    }

    /** {@return whether frames travel as bytes, with headers} */
    default boolean haveHeaders() {
        return areOverLinks();
    }

    /**
     * {@return whether ranks still send each other messages by a group that another member has closed}
     * A sequencer ends a group's messages with the group, as nothing tells it who else will close.
     */
    default boolean messagesOutlastMembers() {
        return true;
    }

    /** {@return whether an engine performs that reduction on the tensors of the contract} Of those of the host links do. */
    default boolean reduces(Reduction reduction, DType type) {
        return true;
    }

    /** {@return a type if an engine performs that reduction of it, else the other one} */
    default DType reducible(Reduction reduction, DType type, DType other) {
        return reduces(reduction, type) ? type : other;
    }

    /** {@return bytes outside the heap that a closed world may leave in pools that live as long as the JVM} */
    default long slackBytes() {
        return 0;
    }

    /** {@return where the tensors of the contract are, as far as it is about any tensors} */
    default TensorHome home() {
        return TensorHome.HOST;
    }
}
