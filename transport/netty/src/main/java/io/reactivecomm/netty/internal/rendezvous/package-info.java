/** The ways in which a rank finds the store and its token, and the resources that the rank holds from then on. */
@NullMarked
package io.reactivecomm.netty.internal.rendezvous;

import org.jspecify.annotations.NullMarked;
