package io.reactivecomm.testkit.loops;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;

/** A world of two ranks in a JVM that has just begun: it works, and says of each part how long it held a loop at most. */
public final class LoadProgram {

    private static final String LOCAL = "local";
    private static final String LOCAL_OVER = "local:";
    private static final int RANKS = 2;
    private static final Duration BOUND = Duration.ofSeconds(100);

    /** The machine's when that was last asked for; the main thread's. */
    private static double slowdown;

    private LoadProgram() {}

    /** @param args the transport, or {@code local:} and a choice of engines, and the names of what is to be done */
    public static void main(String[] args) {
        int status = 1;
        try {
            work(args);
            status = 0;
        } catch (InterruptedException | RuntimeException | Error e) {
            e.printStackTrace();
        } finally {
            // The store, for one, would be waited for.
            System.exit(status);
        }
    }

    private static void work(String[] args) throws InterruptedException {
        // The first time it loads what it needs itself.
        Yardstick.slowdown();
        slowdown = Yardstick.slowdown();
        try (LoopSampler sampler = LoopSampler.start()) {
            List<ProcessGroup> groups = open(args[0]);
            tell("connect", sampler);
            for (String name : Arrays.asList(args).subList(1, args.length)) {
                LoopLoad load = LoopLoad.valueOf(name);
                Flux.fromIterable(groups)
                        .flatMap(group -> Flux.from(load.of(group)), RANKS)
                        .blockLast(BOUND);
                tell(name, sampler);
            }
            groups.forEach(ProcessGroup::close);
            tell("close", sampler);
        }
    }

    private static List<ProcessGroup> open(String transport) {
        if (transport.startsWith(LOCAL_OVER)) {
            CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT)
                    .withBackend(transport.substring(LOCAL_OVER.length()));
            return ReactiveComm.local(RANKS, settings).groups();
        }
        return transport.equals(LOCAL)
                ? ReactiveComm.local(RANKS).groups()
                : ((ConnectedWorlds.Ranks) ConnectedWorlds.open(transport, RANKS, UnaryOperator.identity())).groups();
    }

    private static void tell(String load, LoopSampler sampler) throws InterruptedException {
        sampler.settle();
        double before = slowdown;
        slowdown = Yardstick.slowdown();
        System.out.println(LongestHold.of(load, sampler.longest(), Math.max(before, slowdown))
                .line());
    }
}
