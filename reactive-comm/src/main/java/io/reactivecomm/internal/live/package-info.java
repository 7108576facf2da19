/** What ranks tell those who watch their job: the side of {@link io.reactivecomm.live} that runs on each rank. */
@NullMarked
package io.reactivecomm.internal.live;

import org.jspecify.annotations.NullMarked;
