package io.reactivecomm.nccl;

import io.reactivecomm.ProcessGroup;

/**
 * The things that all launches of one rank have in common.
 *
 * @param control the world over links
 * @param abilities what the libraries of all ranks can
 */
record LaunchContext(NcclSetup setup, NcclCalls calls, LaunchStream stream, ProcessGroup control, Abilities abilities) {}
