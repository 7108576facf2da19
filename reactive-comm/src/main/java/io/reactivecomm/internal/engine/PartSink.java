package io.reactivecomm.internal.engine;

/** Also takes the parts of a result as they land, before the end. Told on the loop. */
public interface PartSink extends CallSink {

    /**
     * Elements of the output have their final value.
     *
     * @param from the first of them, in the row of all outputs
     */
    void landed(long from, long count);
}
