package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.UnloadedProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A program whose ranks call MPI leaves nothing behind in its JVM. */
@ExtendWith(NeedsGcc.class)
@Timeout(120)
@Tag("thorough")
class UnloadedMpiProgramTest {

    /** Two ranks over the double. */
    public static final class Ranks implements Runnable {

        @Override
        public void run() {
            try (MpiWorlds.Ranks world = MpiWorlds.Ranks.open(2, DoubleDialect.OPEN_MPI.engine())) {
                UnloadedProgram.call(world.groups(), group -> group.allocate(DType.FLOAT32, 1_000));
            }
        }
    }

    @Test
    void program_thatHasClosedAll_isCollected() throws Exception {
        UnloadedProgram.requireCollected(Ranks.class);
    }
}
