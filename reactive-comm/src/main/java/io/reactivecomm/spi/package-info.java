/**
 * What transports implement, and the frames that they carry: {@link io.reactivecomm.spi.Link},
 * {@link io.reactivecomm.spi.LinkTransport}, {@link io.reactivecomm.spi.Loop}, {@link io.reactivecomm.spi.Rendezvous}. Depends on the
 * root and {@code collective} packages.
 */
@NullMarked
package io.reactivecomm.spi;

import org.jspecify.annotations.NullMarked;
