/** The publishing of a rank's reports while its job is watched. */
@NullMarked
package io.reactivecomm.internal.live;

import org.jspecify.annotations.NullMarked;
