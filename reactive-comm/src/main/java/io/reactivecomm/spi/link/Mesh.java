package io.reactivecomm.spi.link;

import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one rank, once all ranks have found each other: a loop and a link to every other rank. One with memory that its links
 * reach best is a {@link io.reactivecomm.TensorMemory} too.
 */
public interface Mesh {

    /** {@return this process's rank} */
    int rank();

    /** {@return the number of ranks} */
    int worldSize();

    /** {@return what tells this world from all others, also from earlier ones of its ranks; the same on all of them; empty if it is not known} */
    default String worldId() {
        return "";
    }

    /**
     * {@return the identity of the machine that this rank runs on: equal on two ranks exactly if they share one}
     *
     * <p>Where the user named the machine ({@link io.reactivecomm.CommConfig#hostId}), it is that name.
     */
    String host();

    /**
     * {@return the number of each rank's machine, by rank: equal for two ranks exactly if their {@link #host()} is; all ranks are told the same}
     *
     * <p>Schedules go by it. If it does not say what is so, calls take longer, and end with the same bits.
     */
    List<Integer> hosts();

    /** {@return whether a link of this rank leaves the host: it runs between two machines, or between two networks of one} */
    boolean leavesHost();

    /** {@return the thread on which all links of this rank live} */
    Loop loop();

    /**
     * {@return the link to another rank}
     *
     * @throws IllegalArgumentException if {@code peer} is this rank or none
     */
    Link link(int peer);

    /** Begins to deliver: nothing is read from any link before. Called once, on the loop. */
    void start(LinkEvents events);

    /** {@return the store through which the ranks found each other, or null if there is none} */
    @Nullable Rendezvous rendezvous();

    /** {@return where this rank tells those who watch the job how it does, or null if there is nobody to tell} */
    default @Nullable LiveBoard board() {
        return rendezvous() instanceof LiveBoard board ? board : null;
    }

    /**
     * Frees the loop, the threads and what else the transport holds; links still open go down at once. Called off the loop, after the
     * links were closed. Idempotent.
     */
    void close();
}
