package io.reactivecomm.shm.process;

import io.reactivecomm.testkit.UnloadedProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program whose ranks met over shared memory leaves nothing behind in its JVM. */
@Timeout(120)
@Tag("thorough")
class UnloadedShmProgramTest {

    /** Two ranks and their store. */
    public static final class Ranks extends UnloadedProgram.Connected {

        /** For the server. */
        public Ranks() {
            super("shm");
        }
    }

    @Test
    void program_thatHasClosedAll_isCollected() throws Exception {
        UnloadedProgram.requireCollected(Ranks.class);
    }
}
