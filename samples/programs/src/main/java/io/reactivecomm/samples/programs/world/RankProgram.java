package io.reactivecomm.samples.programs.world;

import io.reactivecomm.ProcessGroup;

/** What each rank of a sample does with its group. It runs on a thread of its own, on which it may block. */
@FunctionalInterface
public interface RankProgram {

    void run(ProcessGroup group);
}
