package io.reactivecomm.netty.process;

import io.reactivecomm.testkit.UnloadedProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program whose ranks met over sockets leaves nothing behind in its JVM. */
@Timeout(120)
class UnloadedTcpProgramTest {

    /** Two ranks and their store. */
    public static final class Ranks extends UnloadedProgram.Connected {

        /** For the server. */
        public Ranks() {
            super("tcp");
        }
    }

    @Test
    void program_thatHasClosedAll_isCollected() throws Exception {
        UnloadedProgram.requireCollected(Ranks.class);
    }
}
