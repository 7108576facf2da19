package io.reactivecomm.testkit;

/** Worlds whose calls are performed by a library that needs one order of calls: by an engine behind a sequencer. */
public interface SequencedWorlds extends Worlds {

    @Override
    default boolean areOverLinks() {
        return false;
    }

    @Override
    default boolean messagesOutlastMembers() {
        return false;
    }
}
