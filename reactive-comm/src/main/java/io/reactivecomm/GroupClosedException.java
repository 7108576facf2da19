package io.reactivecomm;

/** The group was closed or aborted while the call was pending, or before it was subscribed. Connect anew to go on. */
public class GroupClosedException extends CommException {

    private static final long serialVersionUID = 1L;

    public GroupClosedException(String message) {
        super(message);
    }
}
