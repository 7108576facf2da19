package io.reactivecomm.netty.internal.store;

import io.reactivecomm.netty.internal.link.CircleOffender;

/** The other half of the cycle. */
public final class OtherCircleOffender {

    private OtherCircleOffender() {}

    static String names(CircleOffender other) {
        return other.toString();
    }
}
