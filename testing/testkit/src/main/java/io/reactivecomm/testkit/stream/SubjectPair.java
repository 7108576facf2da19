package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.reactivestreams.Publisher;

/** The two ranks' parts of one subject, each with its subscriber. */
final class SubjectPair implements AutoCloseable {

    /** From which thread something is done. */
    enum From {
        LOOP,
        ELSEWHERE
    }

    final GuardedMemory memory = new GuardedMemory();
    final ScriptedSubscriber watched;
    final ScriptedSubscriber other = ScriptedSubscriber.eager();
    private final Subject subject;
    private final List<ProcessGroup> groups;
    private final Publisher<?> here;
    private final Publisher<?> there;

    SubjectPair(Subject subject, List<ProcessGroup> groups, ScriptedSubscriber watched) {
        this.subject = subject;
        this.groups = groups;
        this.watched = watched;
        this.here = subject.call().on(groups.get(0), memory);
        this.there = subject.call().on(groups.get(1), memory);
    }

    void begin(From place) {
        act(place, () -> here.subscribe(watched));
    }

    void beginOther() {
        there.subscribe(other);
    }

    /** Runs something on a thread of that kind, to its end. */
    void act(From place, Runnable action) {
        switch (place) {
            case ELSEWHERE -> action.run();
            case LOOP -> {
                CompletableFuture<WorldContract.Outcome> last =
                        WorldContract.begin(groups.get(1).named("place").barrier());
                WorldContract.end(WorldContract.begin(
                                groups.get(0).named("place").barrier().doOnNext(work -> action.run())))
                        .work();
                // The other rank's may fail by what was done.
                WorldContract.end(last);
            }
        }
    }

    /** What comes of itself has come. */
    void settle() {
        if (subject.isCall()) {
            other.awaitEnd();
        }
        StreamEnds.settle(groups);
    }

    void requireAll() {
        watched.awaitEnd();
        other.awaitEnd();
        assertThat(watched.error()).as("the error of %s", subject).isNull();
        assertThat(other.error()).as("the other rank's error of %s", subject).isNull();
        assertThat(watched.results()).as("results of %s", subject).isBetween(subject.fewest(), subject.most());
        assertThat(watched.wasOnABlockingThread() && subject.onLoop())
                .as("%s told on a thread that may block", subject)
                .isFalse();
    }

    /** Nothing came that should not have, also since. */
    @Override
    public void close() {
        memory.close();
        assertThat(watched.faults())
                .as("what %s told against the rules", subject)
                .isEmpty();
    }
}
