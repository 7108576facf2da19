/**
 * Starting ranks, and finding one's place among them: {@link io.reactivecomm.launch.LocalJob} and the {@code rcomm run} command
 * start ranks on this host, a {@link io.reactivecomm.launch.PlacedJob} each at a place of its own; each
 * {@link io.reactivecomm.spi.rendezvous.Launcher} here reads the environment that another launcher leaves.
 */
@NullMarked
package io.reactivecomm.launch;

import org.jspecify.annotations.NullMarked;
