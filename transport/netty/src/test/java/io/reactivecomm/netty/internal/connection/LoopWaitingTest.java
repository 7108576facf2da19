package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.reactivecomm.Waiting;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.PollingLoop.Poller;
import io.reactivecomm.spi.WaitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoopWaitingTest {

    private static final IntSupplier NOTHING = () -> 0;

    private long now;
    private final PollSet pollSet = new PollSet(new FatalErrors());
    private int yields;
    private final LoopWaiting waiting = new LoopWaiting(pollSet, () -> now, () -> yields++);

    @Test
    void untilItIsAskedTo_itSleepsAtOnce() throws Exception {
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(waiting.calculateStrategy(() -> 3, true)).isEqualTo(3);
    }

    @Test
    void idleLoop_looksForAWhile_thenSleeps() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, false);
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        now = WaitPolicy.AWAKE_NANOS - 1;
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        now++;
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
    }

    @Test
    void crowdedLoop_letsOthersRunFromTheBeginning() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, true);
        waiting.calculateStrategy(NOTHING, false);
        assertThat(yields).isEqualTo(1);
    }

    @Test
    void loopThatParks_sleepsAtOnce() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, false);
        waiting.wait(Waiting.PARK, false);
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(yields).isZero();
    }

    @Test
    void loopThatSpins_neverSleeps() throws Exception {
        waiting.wait(Waiting.SPIN, false);
        for (int i = 0; i < 3; i++) {
            assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
            now += WaitPolicy.AWAKE_NANOS;
        }
    }

    @Test
    void news_beginTheWhileAnew() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, false);
        waiting.calculateStrategy(NOTHING, false);
        now = WaitPolicy.AWAKE_NANOS;
        assertThat(waiting.calculateStrategy(() -> 1, false)).isEqualTo(1);
        assertThat(waiting.calculateStrategy(NOTHING, true)).isZero();
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
    }

    /** Memory in which something is found at each of so many looks, and not in between. */
    private static final class Memory implements Poller {

        private final int every;
        private int looks;
        private boolean mayPark = true;
        private int parked;
        private int unparked;

        private Memory(int every) {
            this.every = every;
        }

        @Override
        public boolean poll() {
            return every > 0 && ++looks % every == 0;
        }

        @Override
        public boolean park() {
            parked++;
            return mayPark;
        }

        @Override
        public void unpark() {
            unparked++;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 65})
    void memoryThatIsAlwaysBusy_socketsAreAskedForAllTheSame(int every) throws Exception {
        waiting.wait(Waiting.ADAPTIVE, false);
        pollSet.add(new Memory(every));
        int[] asked = {0};
        for (int turn = 0; turn < 320; turn++) {
            waiting.calculateStrategy(() -> asked[0]++, false);
        }
        assertThat(asked[0]).isGreaterThanOrEqualTo(10);
    }

    @Test
    void memoryThatIsBusy_whatTheSocketsHaveIsTheAnswer() throws Exception {
        Memory memory = new Memory(1);
        waiting.wait(Waiting.SPIN, false);
        pollSet.add(memory);
        int turns = 1;
        while (waiting.calculateStrategy(() -> 5, false) != 5 && turns < 1_000) {
            turns++;
        }
        assertThat(turns).isLessThan(1_000);
        assertThat(memory.looks).isBetween(2, 1_000);
    }

    @Test
    void memoryThatIsBusy_somebodyCalls_theirTasksHaveTheLoopAtOnce() throws Exception {
        Memory memory = new Memory(1);
        pollSet.add(memory);
        pollSet.call();
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        assertThat(memory.looks).isZero();
        waiting.calculateStrategy(NOTHING, false);
        assertThat(memory.looks).isPositive();
    }

    @Test
    void oneFind_thenNothing_theWhileBeginsAnew() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, false);
        pollSet.add(new Memory(100));
        waiting.calculateStrategy(NOTHING, false);
        now = WaitPolicy.AWAKE_NANOS;
        // The hundredth look, which is in this turn, finds something.
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
    }

    @Test
    void tasksWithoutPause_memoryIsLookedAtEachTurn_andSocketsNowAndThen() throws Exception {
        Memory memory = new Memory(1_000);
        pollSet.add(memory);
        int[] asked = {0};
        for (int turn = 0; turn < 320; turn++) {
            waiting.calculateStrategy(() -> asked[0]++, true);
        }
        assertThat(memory.looks).isEqualTo(320);
        assertThat(asked[0]).isGreaterThanOrEqualTo(10);
        assertThat(memory.parked).isZero();
    }

    @Test
    void tasksThatTakeLong_socketsAreAskedForAfterTheFirst() throws Exception {
        pollSet.add(new Memory(0));
        int[] asked = {0};
        for (int turn = 0; turn < 10; turn++) {
            waiting.calculateStrategy(() -> asked[0]++, true);
            now += 22_000_000;
        }
        assertThat(asked[0]).isEqualTo(5);
    }

    @Test
    void sleep_memoryThatHasNews_isPutOff_andAllAreUnparked() throws Exception {
        Memory quiet = new Memory(0);
        Memory news = new Memory(0);
        news.mayPark = false;
        pollSet.add(quiet);
        pollSet.add(news);
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        assertThat(quiet.parked).isEqualTo(1);
        assertThat(quiet.unparked).isEqualTo(1);
        assertThat(news.unparked).isEqualTo(1);
        news.mayPark = true;
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
    }

    @Test
    void sleep_isToldOnce_andItsEndOnce() throws Exception {
        Memory memory = new Memory(0);
        pollSet.add(memory);
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(memory.unparked).isZero();
        waiting.calculateStrategy(NOTHING, true);
        waiting.calculateStrategy(NOTHING, true);
        assertThat(memory.parked).isEqualTo(1);
        assertThat(memory.unparked).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Waiting.class)
    void pollerThatWasRemoved_isNotAskedAgain(Waiting how) throws Exception {
        Memory memory = new Memory(1);
        waiting.wait(how, true);
        pollSet.add(memory);
        pollSet.remove(memory);
        pollSet.remove(memory);
        waiting.calculateStrategy(NOTHING, false);
        assertThat(memory.looks + memory.parked).isZero();
    }

    @Test
    void spin_neverSleeps() throws Exception {
        Memory memory = new Memory(0);
        waiting.wait(Waiting.SPIN, true);
        pollSet.add(memory);
        for (int turn = 0; turn < 100; turn++) {
            now += WaitPolicy.AWAKE_NANOS;
            assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        }
        assertThat(memory.parked).isZero();
    }

    @Test
    void crowdedMachine_stillLooksForAWhile_thenSleeps() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, true);
        pollSet.add(new Memory(0));
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        now = WaitPolicy.AWAKE_NANOS;
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
    }
}
