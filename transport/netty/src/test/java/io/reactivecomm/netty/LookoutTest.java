package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivecomm.spi.PollingLoop.Poller;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LookoutTest {

    private final Lookout lookout = new Lookout();
    private final List<String> done = new ArrayList<>();

    /** Memory in which something is always found, which gives the loop those tasks. */
    private static class Giver implements Poller {

        private final Lookout lookout;
        private final List<String> done;
        private final Runnable[] tasks;

        private Giver(Lookout lookout, List<String> done, Runnable... tasks) {
            this.lookout = lookout;
            this.done = done;
            this.tasks = tasks;
        }

        @Override
        public boolean poll() {
            for (Runnable task : tasks) {
                done.add(lookout.takes(task) ? "taken" : "refused");
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
        lookout.add(new Giver(lookout, done, () -> done.add("one"), () -> done.add("two")));
        lookout.add(new Giver(lookout, done, () -> done.add("three")));
        assertThat(lookout.look()).isTrue();
        assertThat(done).containsExactly("taken", "taken", "taken", "one", "two", "three");
    }

    @Test
    void tasks_thatThoseTasksGive_areTheQueues() {
        lookout.add(new Giver(lookout, done, () -> done.add(lookout.takes(() -> done.add("late")) ? "taken" : "refused")));
        lookout.look();
        assertThat(done).containsExactly("taken", "refused");
    }

    @Test
    void tasks_whileOthersWait_goBehindThem() {
        lookout.add(new Giver(lookout, done, () -> done.add("one")));
        assertThat(lookout.lookBehindTasks()).isTrue();
        assertThat(done).containsExactly("refused");
    }

    @Test
    void task_thatFails_takesNothingFromTheNext() {
        lookout.add(new Giver(
                lookout,
                done,
                () -> {
                    throw new AssertionError("a fault of a task's own");
                },
                () -> done.add("two")));
        lookout.look();
        assertThat(done).containsExactly("taken", "taken", "two");
    }

    @Test
    void poller_thatFails_takesNothingFromTheTasksOfThoseBefore() {
        lookout.add(new Giver(lookout, done, () -> done.add("one")));
        lookout.add(new Giver(lookout, done) {
            @Override
            public boolean poll() {
                throw new IllegalStateException("a fault of a poller's own");
            }
        });
        assertThatIllegalStateException().isThrownBy(lookout::look);
        assertThat(done).containsExactly("taken", "one");
    }

    @Test
    void call_isHeardOnce_andForgottenWhenTasksAreAboutToRun() {
        assertThat(lookout.wasCalled()).isFalse();
        lookout.call();
        assertThat(lookout.wasCalled()).isTrue();
        assertThat(lookout.wasCalled()).isFalse();
        lookout.call();
        lookout.lookBehindTasks();
        assertThat(lookout.wasCalled()).isFalse();
    }
}
