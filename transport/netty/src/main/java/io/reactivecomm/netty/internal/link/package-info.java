/** The links between ranks: frames and payloads on connections and lanes, and the mesh that joins all ranks. */
@NullMarked
package io.reactivecomm.netty.internal.link;

import org.jspecify.annotations.NullMarked;
