package io.reactivecomm.device;

import io.reactivecomm.InvalidCallException;
import java.util.Objects;

/**
 * The place where a tensor's bytes live.
 *
 * @param kind {@code cpu}, {@code cuda}, …
 * @param index which one of its kind, from 0
 */
public record Device(String kind, int index) {

    /** The host's memory. */
    public static final Device CPU = new Device("cpu", 0);

    public Device {
        Objects.requireNonNull(kind, () -> "a device has no kind: index=" + index + "; name it, such as cpu or cuda");
        if (kind.isBlank() || index < 0) {
            throw new InvalidCallException("there can be no such device: kind=" + kind + ", index=" + index
                    + "; name a kind, such as cpu or cuda, and" + " count from 0");
        }
    }

    @Override
    public String toString() {
        return kind + ":" + index;
    }
}
