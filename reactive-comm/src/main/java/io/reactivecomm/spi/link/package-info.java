/** What a transport implements: links between two ranks, and the frames that cross them. */
@NullMarked
package io.reactivecomm.spi.link;

import org.jspecify.annotations.NullMarked;
