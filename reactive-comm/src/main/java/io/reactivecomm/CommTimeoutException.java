package io.reactivecomm;

import java.util.List;

/** A call did not finish by its deadline. See which ranks are missing, or raise the timeout. */
public class CommTimeoutException extends CommException {

    private static final long serialVersionUID = 1L;

    private final List<Integer> missing;

    public CommTimeoutException(String message, List<Integer> missing) {
        super(message);
        this.missing = List.copyOf(missing);
    }

    /** {@return the ranks, in the world, that had not issued the call as far as the reporting rank knew} */
    public List<Integer> missing() {
        return missing;
    }
}
