/** What an engine implements: whole collectives of a group, by a library such as NCCL or MPI. */
@NullMarked
package io.reactivecomm.spi.engine;

import org.jspecify.annotations.NullMarked;
