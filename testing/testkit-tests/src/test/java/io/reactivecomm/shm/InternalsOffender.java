package io.reactivecomm.shm;

import io.reactivecomm.netty.internal.link.CircleOffender;

/** A type of one transport that names an internal type of another. */
final class InternalsOffender {

    private InternalsOffender() {}

    static String names(CircleOffender other) {
        return other.toString();
    }
}
