/** The contract of links between two ranks. */
@NullMarked
package io.reactivecomm.testkit.link;

import org.jspecify.annotations.NullMarked;
