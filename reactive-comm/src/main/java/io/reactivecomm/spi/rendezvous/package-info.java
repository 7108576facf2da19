/** How ranks meet: launchers, the store, and the records that ranks exchange there. */
@NullMarked
package io.reactivecomm.spi.rendezvous;

import org.jspecify.annotations.NullMarked;
