/** The rendezvous store: its server and clients, the roll call of ranks, and the roster that results. */
@NullMarked
package io.reactivecomm.netty.internal.store;

import org.jspecify.annotations.NullMarked;
