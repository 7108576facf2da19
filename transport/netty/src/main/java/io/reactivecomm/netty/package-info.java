/**
 * The services of the TCP transport: links between ranks, the rendezvous store of a launcher, and access to the boards of jobs.
 *
 * <p>A rank has two threads: the loop of its links, and the control thread, which answers heartbeats however long a callback holds the loop. The
 * process that runs the store has a third.
 *
 * <pre>
 *   host ← connection ← store ← life ← rendezvous ← link ← this package
 * </pre>
 *
 * <p>The other packages are below {@code io.reactivecomm.netty.internal}, and may change in any version. Each may use those to its left.
 */
@NullMarked
package io.reactivecomm.netty;

import org.jspecify.annotations.NullMarked;
