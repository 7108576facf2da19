/** The host of a rank as other hosts reach it: its addresses, its identity, and the directories of its user. */
@NullMarked
package io.reactivecomm.netty.internal.host;

import org.jspecify.annotations.NullMarked;
