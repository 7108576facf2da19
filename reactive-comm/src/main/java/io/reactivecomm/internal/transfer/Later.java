package io.reactivecomm.internal.transfer;

import java.util.ArrayDeque;

/**
 * The steps that have something left to do of what needs nobody else: what would hold the loop for long is done a slice at a time. Owned by the
 * loop.
 */
public final class Later {

    private final ArrayDeque<Turn> turns = new ArrayDeque<>();

    /** A step that has something left to do. */
    interface Turn {

        /** Goes on, unless its call is over. */
        void resume();
    }

    /** That step goes on when it is its turn; it is not added again before. */
    void add(Turn step) {
        turns.add(step);
    }

    public boolean isEmpty() {
        return turns.isEmpty();
    }

    /** Lets one step go on, the one that has waited longest. */
    public void goOn() {
        Turn next = turns.poll();
        if (next != null) {
            next.resume();
        }
    }
}
