package io.reactivecomm;

/**
 * The place where a tensor's bytes live.
 *
 * @param kind {@code cpu}, {@code cuda}, …
 * @param index which one of its kind, from 0
 */
public record Device(String kind, int index) {

    /** The host's memory. */
    public static final Device CPU = new Device("cpu", 0);

    @Override
    public String toString() {
        return kind + ":" + index;
    }
}
