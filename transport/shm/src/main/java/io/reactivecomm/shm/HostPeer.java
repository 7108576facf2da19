package io.reactivecomm.shm;

import io.reactivecomm.spi.link.Link;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Another rank of this host, whose memory this rank reads.
 *
 * @param rank its rank in the world
 * @param memory its file
 * @param arena holds the mapping
 * @param control the link that tells of its end, and wakes it
 */
record HostPeer(int rank, MemorySegment memory, Arena arena, Link control) {}
