/**
 * Links through shared memory between ranks of one host. Each rank has one {@link io.reactivecomm.shm.SharedFile}, which it alone writes
 * and the others map to read. In it are the rings of what it sends, the positions up to which it has read theirs, and memory for tensors.
 */
@NullMarked
package io.reactivecomm.shm;

import org.jspecify.annotations.NullMarked;
