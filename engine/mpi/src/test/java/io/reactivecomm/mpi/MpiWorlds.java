package io.reactivecomm.mpi;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.SequencedWorlds;
import io.reactivecomm.testkit.WorldContract;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;

/** Worlds over doubles of MPI, as the contracts want them: after each of them nothing may have been wrong. */
@ExtendWith(NeedsGcc.class)
interface MpiWorlds extends SequencedWorlds {

    /** {@return the name of the engine} */
    String engine();

    @Override
    default WorldContract.World open(int size) {
        return Ranks.open(size, engine());
    }

    /** The ranks of one. */
    record Ranks(LocalWorld world, List<DoubleMeeting> meetings) implements WorldContract.World {

        static Ranks open(int size, String engine) {
            CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
            LocalWorld world = ReactiveComm.local(size, settings.withBackend("cpu:" + engine));
            return new Ranks(world, DoubleMeeting.taken());
        }

        @Override
        public List<ProcessGroup> groups() {
            return world.groups();
        }

        /** {@return the processes of its ranks} */
        DoubleMeeting meeting() {
            return meetings.getFirst();
        }

        @Override
        public void close() {
            world.close();
            meetings.forEach(DoubleMeeting::settle);
        }
    }

    /** With Open MPI's constants and handles. */
    interface OpenMpi extends MpiWorlds {

        @Override
        default String engine() {
            return DoubleDialect.OPEN_MPI.engine();
        }
    }

    /** With MPICH's, and Intel MPI's. */
    interface Mpich extends MpiWorlds {

        @Override
        default String engine() {
            return DoubleDialect.MPICH.engine();
        }
    }

    /** With those of MPI 5's standard interface. */
    interface Standard extends MpiWorlds {

        @Override
        default String engine() {
            return DoubleDialect.STANDARD.engine();
        }
    }

    /** With calls of MPI of 1,000 elements at most. */
    interface Cut extends MpiWorlds {

        @Override
        default String engine() {
            return "mpi-cut";
        }
    }
}
