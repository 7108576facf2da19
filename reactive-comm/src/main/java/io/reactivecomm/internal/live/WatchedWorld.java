package io.reactivecomm.internal.live;

import io.reactivecomm.spi.BoardReader;

/** A {@link io.reactivecomm.LocalWorld} whose ranks tell watchers in the same JVM how they do. */
public interface WatchedWorld {

    /** {@return a watcher's sight of it, which the watcher closes} */
    BoardReader board();
}
