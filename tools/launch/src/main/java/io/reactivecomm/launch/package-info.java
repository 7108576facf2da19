/**
 * The start of ranks: {@link io.reactivecomm.launch.LocalJob} and the {@code rcomm run} command start ranks on this host, and a
 * {@link io.reactivecomm.launch.PlacedJob} starts each at a place of its own. Its internal package discovers the rank of a process that
 * another launcher started.
 */
@NullMarked
package io.reactivecomm.launch;

import org.jspecify.annotations.NullMarked;
