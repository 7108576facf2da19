package io.reactivecomm.tck;

import io.reactivecomm.ProcessGroup;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;

/** The Reactive Streams TCK for an operation of several calls: a group is made, or none for this rank. */
@Test
public class GroupTckTest extends OwnPublisherVerification<ProcessGroup> {

    @Override
    public long maxElementsFromPublisher() {
        return 1;
    }

    @Override
    public Publisher<ProcessGroup> createPublisher(long elements) {
        return unguarded(() -> {
            run(there().split(0, 0).doOnNext(ProcessGroup::close));
            return here().split(elements == 0 ? -1 : 0, 0);
        });
    }

    @Override
    public Publisher<ProcessGroup> createFailedPublisher() {
        return unguarded(() -> ended().split(0, 0));
    }
}
