package io.reactivecomm.hook;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.chain.ChainFuzz;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The fuzz of chains in local worlds of its own, for bugs that are planted: who waits because of one waits not long. */
public final class LocalChainFuzz {

    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final List<LocalWorld> open = new ArrayList<>();

    /** {@return the first of consecutive seeds that fails, or a negative number} */
    public long firstFailure(long from, int count) {
        try {
            return new ChainFuzz(this::open, DEADLINE, LIMIT).firstFailure(from, count);
        } finally {
            open.forEach(LocalWorld::close);
        }
    }

    private List<ProcessGroup> open(int size) {
        LocalWorld world = ReactiveComm.local(size);
        open.add(world);
        return world.groups();
    }
}
