/**
 * Links over TCP, the rendezvous store, and how processes find and admit each other; on Netty.
 *
 * <p>A rank has two threads: the loop, on which its links live, and the control thread, which answers heartbeats however long a
 * callback holds the loop. Whoever runs the store has a third.
 */
@NullMarked
package io.reactivecomm.netty;

import org.jspecify.annotations.NullMarked;
