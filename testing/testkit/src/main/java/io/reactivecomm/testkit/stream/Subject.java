package io.reactivecomm.testkit.stream;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.GuardedMemory;
import org.reactivestreams.Publisher;

/**
 * One publisher of the public API, as {@link PublisherContract} tries it: between two ranks, of which the first is watched.
 *
 * @param name says which, for the reader
 * @param fewest how many results the first rank gets at least
 * @param most and at most
 * @param alone how many of them come before the other rank has done anything
 * @param isCall whether it runs from its subscription to its end, whoever asks and whoever leaves; others run as far as they are asked to
 * @param onLoop whether results come on the group's loop
 * @param call makes it on a rank; both ranks make it, in the same order of other calls
 */
public record Subject(String name, int fewest, int most, int alone, boolean isCall, boolean onLoop, Call call) {

    /** Makes a rank's part. */
    interface Call {

        /** @param memory lives until all is over */
        Publisher<?> on(ProcessGroup group, GuardedMemory memory);
    }

    /** {@return one with exactly one result} */
    static Subject one(String name, Call call) {
        return new Subject(name, 1, 1, 0, true, true, call);
    }

    /** {@return one without a result on the first rank} */
    static Subject none(String name, Call call) {
        return new Subject(name, 0, 0, 0, true, true, call);
    }

    /** {@return one with so many results} */
    static Subject many(String name, int fewest, int most, Call call) {
        return new Subject(name, fewest, most, 0, true, true, call);
    }

    /** {@return the same, of which so many come before the other rank has done anything} */
    Subject alone(int results) {
        return new Subject(name, fewest, most, results, isCall, onLoop, call);
    }

    /** {@return the same, which runs as far as it is asked to, and is ended by who leaves} */
    Subject onDemand() {
        return new Subject(name, fewest, most, alone, false, onLoop, call);
    }

    /** {@return the same, whose results come on other threads than the loop's} */
    Subject elsewhere() {
        return new Subject(name, fewest, most, alone, isCall, false, call);
    }

    /** Frees a result that is the subscriber's. */
    static void free(Object result) {
        if (result instanceof AutoCloseable resource) {
            try {
                resource.close();
            } catch (Exception e) {
                throw new AssertionError("a result throws when it is closed: " + result, e);
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
