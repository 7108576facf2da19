/** {@code rcomm hosts}: runs a program on many hosts that are network namespaces of this machine, with a rate and a latency between them. */
@NullMarked
package io.reactivecomm.rcomm.hosts;

import org.jspecify.annotations.NullMarked;
