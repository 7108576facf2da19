package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.loops.LoadJvm;
import io.reactivecomm.testkit.loops.LoopLoad;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The time that loops are held with MPI: in a new JVM nothing uses a loop's thread for 50 ms of CPU time before its next task, as without. */
@ExtendWith(NeedsGcc.class)
@Tag("thorough")
class MpiLoopTimeTest {

    private static final double MOST_MILLIS = 50;

    /** All but what is asked of links by the name of an algorithm, and objects, which go by them. */
    private static final List<LoopLoad> LOADS = List.of(
            LoopLoad.FIRST_CALLS,
            LoopLoad.FIRST_FOLDS,
            LoopLoad.BULK,
            LoopLoad.MANY_GROUPS,
            LoopLoad.STREAMS,
            LoopLoad.BUCKETS,
            LoopLoad.BURST);

    @Test
    @Timeout(900)
    void allThatLoopsDo_withMpi_holdsNoneOfThem() throws Exception {
        assertThat(LoadJvm.heldFor(MOST_MILLIS, "local:cpu:" + DoubleDialect.OPEN_MPI.engine(), LOADS))
                .isEmpty();
    }
}
