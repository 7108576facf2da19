package io.reactivecomm.tck;

import java.util.List;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;

/** The Reactive Streams TCK for an exchange of objects. */
@Test
public class ObjectTckTest extends OwnPublisherVerification<List<String>> {

    @Override
    public long maxElementsFromPublisher() {
        return 1;
    }

    @Override
    public Publisher<List<String>> createPublisher(long elements) {
        return unguarded(() -> {
            run(there().allGatherObject("there", String.class));
            var call = here().allGatherObject("here", String.class);
            return elements == 0 ? call.filter(objects -> false) : call;
        });
    }

    @Override
    public Publisher<List<String>> createFailedPublisher() {
        return unguarded(() -> ended().allGatherObject("here", String.class));
    }
}
