/**
 * What transports implement, and the frames that they carry: {@link io.reactivecomm.spi.link.Link},
 * {@link io.reactivecomm.spi.link.LinkTransport}, {@link io.reactivecomm.spi.Loop}, {@link io.reactivecomm.spi.rendezvous.Rendezvous}. Depends on the
 * root and {@code collective} packages.
 */
@NullMarked
package io.reactivecomm.spi;

import org.jspecify.annotations.NullMarked;
