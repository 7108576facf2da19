package io.reactivecomm.netty.internal.link;

import io.reactivecomm.netty.internal.store.OtherCircleOffender;

/** One half of a cycle between two packages of one module. */
public final class CircleOffender {

    private CircleOffender() {}

    static String names(OtherCircleOffender other) {
        return other.toString();
    }
}
