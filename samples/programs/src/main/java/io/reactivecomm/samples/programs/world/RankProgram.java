package io.reactivecomm.samples.programs.world;

import io.reactivecomm.ProcessGroup;

/** The program of each rank of a sample, given its group. It runs on a thread of its own, on which it may block. */
@FunctionalInterface
public interface RankProgram {

    void run(ProcessGroup group);
}
