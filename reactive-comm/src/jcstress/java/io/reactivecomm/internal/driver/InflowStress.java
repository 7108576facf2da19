package io.reactivecomm.internal.driver;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Threads that bring something while the loop takes its turns, and while it ends. */
public class InflowStress {

    private InflowStress() {}

    /** A loop that is driven by hand: turns that were asked for, and what they took. */
    private static class Loop {

        final AtomicInteger asked = new AtomicInteger();
        final AtomicInteger taken = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        final Inflow<Integer> inflow = new Inflow<>(turn -> asked.incrementAndGet(), () -> {}, refused::addAndGet);

        /** Takes the turns that have been asked for. */
        final void takeTurns() {
            while (asked.getAndUpdate(turns -> Math.max(0, turns - 1)) > 0) {
                for (Integer next = inflow.poll(); next != null; next = inflow.poll()) {
                    taken.addAndGet(next);
                }
                inflow.taken(false);
            }
        }
    }

    /** Two threads add, one of them the loop itself, which takes a turn meanwhile: a turn that is asked for takes what is left. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "both were taken, once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "one is left lying, or was taken twice")
    @State
    public static class TwoAdders extends Loop {

        @Actor
        public void one() {
            inflow.add(1);
        }

        @Actor
        public void otherAndLoop() {
            inflow.add(2);
            takeTurns();
        }

        @Arbiter
        public void rest(II_Result result) {
            takeTurns();
            result.r1 = taken.get();
            result.r2 = inflow.isEmpty() ? 0 : 1;
        }
    }

    /** One adds while the loop takes its last turn and ends: what no turn took is refused, by whoever sees it. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "taken by the last turn")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "refused by the end, or by the one who added")
    @Outcome(expect = Expect.FORBIDDEN, desc = "neither, or both")
    @State
    public static class AdderAndEnd extends Loop {

        @Actor
        public void adder() {
            inflow.add(1);
        }

        @Actor
        public void loop() {
            takeTurns();
            inflow.end();
        }

        @Arbiter
        public void rest(II_Result result) {
            result.r1 = taken.get();
            result.r2 = refused.get();
        }
    }
}
