package io.reactivecomm.engine;

/** A call that is assembled: what it is before anybody subscribes to it. */
interface Assembly {

    /**
     * {@return what begins the n-th subscription, from 1, once its subscriber knows of it; its tensors are borrowed until the sink is told}
     */
    Runnable begin(int ordinal, Borrowing sink);
}
