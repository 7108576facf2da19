/** {@code rcomm plan}: what the algorithms would cost on ranks and links that one does not have. */
@NullMarked
package io.reactivecomm.rcomm.plan;

import org.jspecify.annotations.NullMarked;
