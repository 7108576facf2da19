package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.CallSink;

/** A sink that holds its call's tensors until it is told of the end. */
public abstract class Borrowing extends BorrowedTensors implements CallSink {

    protected Borrowing() {
        super(false);
    }
}
