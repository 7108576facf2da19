package io.reactivecomm.netty.internal.connection;

import io.reactivecomm.RendezvousException;

/** The other end of a connection has another token. */
public final class NotAdmittedException extends RendezvousException {

    private static final long serialVersionUID = 1L;

    NotAdmittedException(String message) {
        super(message);
    }
}
