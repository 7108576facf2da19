/** The liveness of ranks: heartbeats, the control connections that carry them, and the detection of failures. */
@NullMarked
package io.reactivecomm.netty.internal.life;

import org.jspecify.annotations.NullMarked;
