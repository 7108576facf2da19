package io.reactivecomm.spi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.engine.EnginePoll.Found;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The looks at a library's requests, on a loop that the test turns. */
class EnginePollTest {

    private static final int MOST_TURNS = 10_000;

    private final ManualLoop loop = new ManualLoop();
    private final List<Long> looks = new ArrayList<>();
    private final Queue<Found> answers = new ArrayDeque<>();
    private final EnginePoll poll = new EnginePoll(loop, () -> {
        looks.add(loop.now);
        loop.now += 1_000;
        return answers.isEmpty() ? Found.NO_MORE : answers.remove();
    });

    @Test
    void nothingPending_doesNotLook() {
        loop.run();
        assertThat(looks).isEmpty();
        poll.begun();
        loop.run();
        loop.run();
        assertThat(looks).hasSize(1);
    }

    @Test
    void pendingRequests_areLookedAtLessAndLessOften() {
        answers.addAll(Collections.nCopies(100, Found.NOTHING));
        poll.begun();
        loop.run();
        List<Long> pauses = new ArrayList<>();
        for (int i = 1; i < looks.size(); i++) {
            pauses.add(looks.get(i) - looks.get(i - 1) - 1_000);
        }
        assertThat(pauses.subList(0, 49)).as("eager").containsOnly(0L);
        assertThat(pauses.subList(50, 56)).containsExactly(40_000L, 80_000L, 160_000L, 320_000L, 640_000L, 1_000_000L);
        assertThat(looks).hasSize(101);
    }

    @Test
    void whatGoesOn_isLookedAtEagerlyAgain() {
        answers.addAll(Collections.nCopies(60, Found.NOTHING));
        answers.add(Found.SOMETHING);
        answers.addAll(Collections.nCopies(10, Found.NOTHING));
        poll.begun();
        loop.run();
        assertThat(looks.get(70) - looks.get(61)).isEqualTo(9_000L);
    }

    @Test
    void whatBeginsInAPause_endsIt() {
        answers.addAll(Collections.nCopies(60, Found.NOTHING));
        poll.begun();
        while (looks.size() < 58) {
            loop.turn();
        }
        long before = loop.now;
        poll.begun();
        loop.turn();
        assertThat(looks.getLast()).isEqualTo(before);
        loop.run();
        assertThat(looks)
                .as("the pause that was under way is not the end of another")
                .hasSize(61);
    }

    @Test
    void whatBeginsInPauses_leavesOnePauseBetweenTwoLooks() {
        answers.addAll(Collections.nCopies(1_000, Found.NOTHING));
        poll.begun();
        for (int beginning = 0; beginning < 5; beginning++) {
            int looked = looks.size();
            while (looks.size() < looked + 60) {
                loop.turn();
            }
            poll.begun();
        }
        loop.run();
        List<Long> last = looks.subList(looks.size() - 100, looks.size());
        for (int i = 1; i < last.size(); i++) {
            assertThat(last.get(i) - last.get(i - 1)).isEqualTo(1_001_000L);
        }
    }

    @Test
    void whatBeginsDuringTheLastLook_isSeen() {
        List<Integer> seen = new ArrayList<>();
        EnginePoll[] own = new EnginePoll[1];
        own[0] = new EnginePoll(loop, () -> {
            seen.add(seen.size());
            if (seen.size() == 1) {
                own[0].begun();
            }
            return Found.NO_MORE;
        });
        own[0].begun();
        loop.run();
        assertThat(seen).hasSize(2);
    }

    /** A loop with a clock of its own. */
    private static final class ManualLoop implements Loop {

        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private final List<Due> timers = new ArrayList<>();
        private long now;

        private record Due(Runnable task, long at) {}

        /** One task, or else the next timer. */
        boolean turn() {
            Runnable task = tasks.poll();
            if (task == null && !timers.isEmpty()) {
                Due due = timers.stream().min(Comparator.comparingLong(Due::at)).orElseThrow();
                timers.remove(due);
                now = Math.max(now, due.at);
                task = due.task;
            }
            if (task != null) {
                task.run();
            }
            return task != null;
        }

        void run() {
            int turns = 0;
            while (turn() && ++turns < MOST_TURNS) {
                assertThat(turns).isLessThan(MOST_TURNS - 1);
            }
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public boolean inLoop() {
            return true;
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            Due due = new Due(task, now + delayNanos);
            timers.add(due);
            return () -> timers.remove(due);
        }

        @Override
        public Thread thread() {
            return Thread.currentThread();
        }

        @Override
        public FatalErrors fatalErrors() {
            throw new UnsupportedOperationException("nothing dies here");
        }
    }
}
