package io.reactivecomm.testkit.merge;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * A value that is a fresh object on one path and something else on another, and the first place that uses it so.
 *
 * @param method the class and the method, as exemptions name it
 */
record MergedUse(String method, int line, Use use, Set<Origin> origins) {

    /** The use of a merged value. */
    enum Use {
        /** Its fields are read or written, it is called, compared or passed on. */
        READ,
        /** It becomes a field's or an array's content: then it is an object, whatever the compiler does. */
        STORED,
        /** It is the method's result: what it is used for there is looked at there. */
        RETURNED
    }

    @Override
    public String toString() {
        return method + ", line " + line + ": "
                + origins.stream().map(Object::toString).sorted().collect(Collectors.joining(", or "));
    }
}
