package io.reactivecomm.netty.process;

import io.reactivecomm.DType;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/**
 * A rank that all-reduces all the time in the world's group and in a group of each pair, for tests that do something to the network.
 *
 * <p>It prints {@code ready}, {@code error GROUP RANK MILLIS MESSAGE} when a group's calls fail, and answers a line on its input with
 * {@code calls GROUP=COUNT …}, the calls that have succeeded so far.
 */
public final class CutRank {

    private static final Duration BOUND = Duration.ofSeconds(60);

    private CutRank() {}

    public static void main(String[] args) {
        ProcessGroup world = ReactiveComm.connect().block(BOUND);
        Map<String, ProcessGroup> groups = new LinkedHashMap<>();
        groups.put("world", world);
        for (int one = 0; one < world.size(); one++) {
            for (int other = one + 1; other < world.size(); other++) {
                String name = one + "+" + other;
                world.newGroup(one, other).blockOptional(BOUND).ifPresent(group -> groups.put(name, group));
            }
        }
        Map<String, AtomicLong> calls = new LinkedHashMap<>();
        groups.forEach((name, group) -> calls.put(name, repeat(name, group)));
        say("ready");
        try (Scanner in = new Scanner(System.in)) {
            while (in.hasNextLine() && !in.nextLine().equals("end")) {
                StringBuilder line = new StringBuilder("calls");
                calls.forEach((name, count) ->
                        line.append(' ').append(name).append('=').append(count));
                say(line.toString());
            }
        }
        world.close();
        say("closed");
        System.exit(0);
    }

    private static AtomicLong repeat(String name, ProcessGroup group) {
        AtomicLong count = new AtomicLong();
        Tensor tensor = Tensor.allocate(DType.FLOAT32, 1000);
        Mono.defer(() -> group.allReduce(tensor, ReduceOp.SUM))
                .doOnNext(_ -> count.incrementAndGet())
                .delayElement(Duration.ofMillis(10))
                .repeat()
                .subscribe(_ -> {}, error -> {
                    String rank = error instanceof PeerLostException lost
                            ? Integer.toString(lost.rank())
                            : error.getClass().getSimpleName();
                    say("error " + name + " " + rank + " " + System.currentTimeMillis() + " " + error.getMessage());
                });
        return count;
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
