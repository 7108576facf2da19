/** Connections between admitted processes: event loops, sockets, the clock, and the handshake that admits a peer. */
@NullMarked
package io.reactivecomm.netty.internal.connection;

import org.jspecify.annotations.NullMarked;
