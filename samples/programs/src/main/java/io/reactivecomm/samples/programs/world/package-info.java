/** How a sample gets its ranks: threads of this JVM, processes that it starts, or a world that another launcher started. */
@NullMarked
package io.reactivecomm.samples.programs.world;

import org.jspecify.annotations.NullMarked;
