package io.reactivecomm;

import java.util.List;

/**
 * A world whose ranks all live in this JVM: for tests, for threads as ranks, and to learn the library without a launcher.
 *
 * <p>The ranks share at most one event loop for each core. Closing the world closes every rank's group.
 */
public interface LocalWorld extends AutoCloseable {

    /** {@return the world group as each rank sees it; index = rank} */
    List<ProcessGroup> groups();

    /**
     * Closes all groups and ends the loops, whatever an engine throws meanwhile. Idempotent; throws nothing checked, and what is fatal to the JVM only at
     * its end.
     */
    @Override
    void close();
}
