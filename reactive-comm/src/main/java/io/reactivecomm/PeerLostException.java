package io.reactivecomm;

/** A rank of the group died, fell silent or left: the group can do no more. Connect anew without it, or recover. */
public class PeerLostException extends CommException {

    private static final long serialVersionUID = 1L;

    private final int rank;

    public PeerLostException(String message, int rank) {
        super(message);
        this.rank = rank;
    }

    /** {@return the rank that was lost, in the world} */
    public int rank() {
        return rank;
    }
}
