package io.reactivecomm.netty;

import io.reactivecomm.netty.internal.link.CircleOffender;

/** A public type with an internal type of its module in a signature. */
public final class ShowingTransport {

    private ShowingTransport() {}

    public static String names(CircleOffender other) {
        return other.toString();
    }
}
