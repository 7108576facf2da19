package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.ProcessGroup;
import java.util.List;

/** The part of one rank in the runs: computing, and reducing what was computed, on the host or on a GPU. */
interface RunTrainer {

    /** Does one run, and blocks until that is done. */
    RankRun train(ProcessGroup group, Variant variant, Contents contents);

    /** {@return what is done, in lines to be shown before it} */
    List<String> title(OverlapOptions options, int ranks);

    /** {@return what is to be known of the figures, in lines to be shown after them} */
    List<String> notes(int ranks);
}
