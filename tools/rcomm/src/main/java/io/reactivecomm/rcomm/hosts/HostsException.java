package io.reactivecomm.rcomm.hosts;

import org.jspecify.annotations.Nullable;

/** A network of namespaces that cannot be made here, or one that does not do what it is for. */
final class HostsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    HostsException(String message) {
        this(message, null);
    }

    HostsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
