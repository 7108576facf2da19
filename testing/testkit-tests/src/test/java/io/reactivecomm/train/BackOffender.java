package io.reactivecomm.train;

import io.reactivecomm.shm.OtherTransport;

/** Breaks a rule of the house: the library knows no transport. */
final class BackOffender {

    private BackOffender() {}

    static String names(OtherTransport other) {
        return other.toString();
    }
}
