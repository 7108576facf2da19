/** The rules of this repository about its own packages and types. */
@NullMarked
package io.reactivecomm.testkit.house;

import org.jspecify.annotations.NullMarked;
