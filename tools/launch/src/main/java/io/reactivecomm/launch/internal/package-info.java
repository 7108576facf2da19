/** The {@link io.reactivecomm.spi.rendezvous.Launcher}s, which ServiceLoader finds: each reads the environment that another launcher sets. */
@NullMarked
package io.reactivecomm.launch.internal;

import org.jspecify.annotations.NullMarked;
