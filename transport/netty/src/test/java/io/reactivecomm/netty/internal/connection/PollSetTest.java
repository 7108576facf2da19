package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.PollingLoop.Poller;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PollSetTest {

    private final FatalErrors fatalErrors = new FatalErrors();
    private final PollSet pollSet = new PollSet(fatalErrors);
    private final List<String> done = new ArrayList<>();

    /** Memory in which something is always found, which gives the loop those tasks. */
    private static class Giver implements Poller {

        private final PollSet pollSet;
        private final List<String> done;
        private final Runnable[] tasks;

        private Giver(PollSet pollSet, List<String> done, Runnable... tasks) {
            this.pollSet = pollSet;
            this.done = done;
            this.tasks = tasks;
        }

        @Override
        public boolean poll() {
            for (Runnable task : tasks) {
                done.add(pollSet.takes(task) ? "taken" : "refused");
            }
            return true;
        }

        @Override
        public boolean park() {
            return true;
        }

        @Override
        public void unpark() {}
    }

    @Test
    void tasks_thatALookGives_runAfterAllHaveBeenLookedAt_inTheirOrder() {
        pollSet.add(new Giver(pollSet, done, () -> done.add("one"), () -> done.add("two")));
        pollSet.add(new Giver(pollSet, done, () -> done.add("three")));
        assertThat(pollSet.look()).isTrue();
        assertThat(done).containsExactly("taken", "taken", "taken", "one", "two", "three");
    }

    @Test
    void tasks_thatThoseTasksGive_areTheQueues() {
        pollSet.add(new Giver(
                pollSet, done, () -> done.add(pollSet.takes(() -> done.add("late")) ? "taken" : "refused")));
        pollSet.look();
        assertThat(done).containsExactly("taken", "refused");
    }

    @Test
    void tasks_whileOthersWait_goBehindThem() {
        pollSet.add(new Giver(pollSet, done, () -> done.add("one")));
        assertThat(pollSet.lookBehindTasks()).isTrue();
        assertThat(done).containsExactly("refused");
    }

    @Test
    void task_thatFails_takesNothingFromTheNext() {
        pollSet.add(new Giver(
                pollSet,
                done,
                () -> {
                    throw new AssertionError("a fault of a task's own");
                },
                () -> done.add("two")));
        pollSet.look();
        assertThat(done).containsExactly("taken", "taken", "two");
    }

    /** Loggers read an error's texts, and do not catch what those throw. */
    @Test
    void taskWhoseErrorThrowsWhenItIsAsked_takesNothingFromTheNext() {
        pollSet.add(new Giver(
                pollSet,
                done,
                () -> {
                    throw new Mute();
                },
                () -> done.add("two")));
        pollSet.look();
        assertThat(done).containsExactly("taken", "taken", "two");
    }

    @SuppressWarnings("serial")
    private static final class Mute extends RuntimeException {

        @Override
        public String getMessage() {
            throw new IllegalStateException("a fault of an error's own");
        }
    }

    @Test
    void poller_thatFails_isToldOf_andTakesNothingFromTheOthers() {
        pollSet.add(new Giver(pollSet, done, () -> done.add("one")));
        pollSet.add(new Giver(pollSet, done) {
            @Override
            public boolean poll() {
                throw new IllegalStateException("a fault of a poller's own");
            }
        });
        pollSet.add(new Giver(pollSet, done, () -> done.add("two")));
        fatalErrors.add((error, rank) -> done.add(error.getMessage()));
        assertThat(pollSet.look()).isTrue();
        assertThat(done).containsExactly("taken", "a fault of a poller's own", "taken", "one", "two");
    }

    @Test
    void call_isHeardOnce_andForgottenWhenTasksAreAboutToRun() {
        assertThat(pollSet.wasCalled()).isFalse();
        pollSet.call();
        assertThat(pollSet.wasCalled()).isTrue();
        assertThat(pollSet.wasCalled()).isFalse();
        pollSet.call();
        pollSet.lookBehindTasks();
        assertThat(pollSet.wasCalled()).isFalse();
    }
}
