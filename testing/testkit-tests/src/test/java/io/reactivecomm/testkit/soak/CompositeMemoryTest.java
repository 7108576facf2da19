package io.reactivecomm.testkit.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.Depth;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The memory that composite calls leave behind: what is known of those that have ended is bounded. */
class CompositeMemoryTest {

    /** All that is bounded is full after so many. */
    private static final int FIRST = 2_000;

    private static final int COMPOSITES = Integer.getInteger("composites", Depth.isWhole() ? 1_000_000 : 5_000);

    private static final int IN_FLIGHT = 64;

    /** What leaks does so in each. Other tests of this JVM may still grow in one of them. */
    private static final int ROUNDS = 5;

    /** A hundred bytes for each composite of the shorter run; what a collection leaves of other things is less. */
    private static final long SLACK_BYTES = 1 << 19;

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void manyComposites_keepMemoryFlat() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            run(world, FIRST);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                least = Math.min(least, bytesLeftByARun(world));
            }
            assertThat(least)
                    .as("heap bytes that %d composites leave", COMPOSITES)
                    .isLessThan(SLACK_BYTES);
        }
    }

    private static long bytesLeftByARun(LocalWorld world) {
        long before = usedBytes();
        run(world, COMPOSITES);
        long after = usedBytes();
        System.out.printf("composites: %,d, heap before %,d bytes, after %,d%n", COMPOSITES, before, after);
        return after - before;
    }

    private static void run(LocalWorld world, int count) {
        Flux.fromIterable(world.groups())
                .flatMap(group -> Flux.range(0, count).flatMap(i -> composite(group), IN_FLIGHT))
                .then()
                .block(Duration.ofMinutes(30));
    }

    /** Two calls that depend on each other, the second in a composite of its own. */
    private static Mono<Work> composite(ProcessGroup group) {
        return group.composite("outer")
                .mono(outer ->
                        outer.barrier().flatMap(work -> outer.composite("inner").mono(ProcessGroup::barrier)));
    }

    private static long usedBytes() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
