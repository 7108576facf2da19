package io.reactivecomm.nccl;

import io.reactivecomm.DType;
import io.reactivecomm.nccl.cuda.CudaHome;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.UnloadedProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A program whose ranks call NCCL leaves nothing behind in its JVM. */
@ExtendWith(NeedsGcc.class)
@Timeout(120)
@Tag("thorough")
class UnloadedNcclProgramTest {

    /** Two ranks over the doubles. */
    public static final class Ranks implements Runnable {

        @Override
        public void run() {
            try (NcclWorlds.Ranks world = NcclWorlds.Ranks.open(2, "cpu:links,cuda:" + NcclWorlds.NEWEST)) {
                UnloadedProgram.call(
                        world.groups(), group -> group.allocate(CudaHome.ONE.device(0), DType.FLOAT32, 1_000));
            }
        }
    }

    @Test
    void program_thatHasClosedAll_isCollected() throws Exception {
        UnloadedProgram.requireCollected(Ranks.class);
    }
}
