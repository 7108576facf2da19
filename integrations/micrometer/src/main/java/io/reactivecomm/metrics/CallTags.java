package io.reactivecomm.metrics;

import io.reactivecomm.observe.ObservedCall;
import java.util.ArrayList;
import java.util.List;

/**
 * The tags of a call's meters, but for how it ended.
 *
 * @param more the values of the tags that were asked for, in their order
 */
record CallTags(String operation, String group, List<String> more) {

    /** The tag of what finds no room. */
    private static final String OTHER = "other";

    static CallTags of(ObservedCall call, String group, List<CallTag> tags) {
        List<String> more = new ArrayList<>(tags.size());
        for (CallTag tag : tags) {
            more.add(tag.value(call));
        }
        return new CallTags(CallTag.text(call.operation()), group, more);
    }

    /** {@return the kind of all calls of kinds that find no room} */
    static CallTags other(List<CallTag> tags) {
        return new CallTags(OTHER, OTHER, tags.stream().map(tag -> OTHER).toList());
    }
}
