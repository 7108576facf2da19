/**
 * What a rank's flight recorder knows, as data: the calls under way and whom they wait for, those that have ended, peers, groups, the loop and threads.
 *
 * <p>Made by {@link io.reactivecomm.ProcessGroup#dump} and by the dumps that {@code RCOMM_DUMP} asks for; read by {@code rcomm doctor}. Names nothing else of
 * the library.
 */
@NullMarked
package io.reactivecomm.recorder;

import org.jspecify.annotations.NullMarked;
