package io.reactivecomm.testkit.soak;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Many ranks of one JVM for a given time, in rounds with classes of their own: what only shows when all is compiled and warm.
 *
 * <p>It was written for a fault of the JVM's compiler (docs/reliability.md, "Which JDK") that failed or falsified correct calls after some
 * seconds to minutes. Every result is compared with what it must be.
 */
public final class LocalSoak {

    private LocalSoak() {}

    /** The outcome of a soak. */
    record Outcome(int ranks, int rounds, long turns, List<Throwable> errors) {

        @Override
        public String toString() {
            String first = errors.isEmpty() ? "" : ", first=" + errors.getFirst();
            return "soak: ranks=" + ranks + ", rounds=" + rounds + ", turns=" + turns + ", errors=" + errors.size()
                    + first;
        }
    }

    /** {@return what became of that many ranks in that time, with new classes every so often} */
    static Outcome run(int ranks, Duration time, Duration round) {
        long end = System.nanoTime() + time.toNanos();
        AtomicLong turns = new AtomicLong();
        List<Throwable> errors = new ArrayList<>();
        int rounds = 0;
        while (System.nanoTime() - end < 0) {
            LongConsumer done = turns::addAndGet;
            Consumer<Throwable> failed = errors::add;
            rounds++;
            try {
                Method fresh = new FreshClasses()
                        .loadClass(SoakRound.class.getName())
                        .getDeclaredMethod("run", int.class, Duration.class, LongConsumer.class, Consumer.class);
                fresh.setAccessible(true);
                fresh.invoke(null, ranks, round, done, failed);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError("a round could not be begun: round=" + rounds, e);
            }
        }
        return new Outcome(ranks, rounds, turns.get(), List.copyOf(errors));
    }

    /** Arguments: the seconds in all (30), of a round (20), and how many ranks (8). Exits with 1 after errors. */
    public static void main(String[] args) {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 30;
        int round = args.length > 1 ? Integer.parseInt(args[1]) : 20;
        int ranks = args.length > 2 ? Integer.parseInt(args[2]) : 8;
        Outcome outcome = run(ranks, Duration.ofSeconds(seconds), Duration.ofSeconds(round));
        outcome.errors().forEach(Throwable::printStackTrace);
        System.out.println(outcome);
        System.exit(outcome.errors().isEmpty() ? 0 : 1);
    }
}
