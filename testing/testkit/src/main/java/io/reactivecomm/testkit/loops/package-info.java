/** The watch over loops: programs that use all of the library, and how long a loop was held for one of its tasks. */
@NullMarked
package io.reactivecomm.testkit.loops;

import org.jspecify.annotations.NullMarked;
