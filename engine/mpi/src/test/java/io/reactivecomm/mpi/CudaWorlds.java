package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Reduction;
import io.reactivecomm.device.Device;
import io.reactivecomm.nccl.cuda.CudaDevice;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.engine.RankMemory;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.SequencedWorlds;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.device.DeviceHome;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;

/** Worlds over doubles of MPI and CUDA, with tensors on a device that the host cannot access. Each world must end without faults and without allocated memory. */
@ExtendWith(NeedsGcc.class)
interface CudaWorlds extends SequencedWorlds {

    /** The engine whose library does not accept device addresses. */
    String STAGED = "mpi-staged";

    /** The engine whose library accepts device addresses. */
    String DIRECT = "mpi-direct";

    /** The engine whose library accepts device addresses, switched off by the variable. */
    String OFF = "mpi-off";

    /** The devices that ranks have opened since the previous world. */
    Queue<CudaDevice> OPENED = new ConcurrentLinkedQueue<>();

    /** {@return the name of the engine} */
    String engine();

    /** {@return a rank's memory of the device that all ranks share} */
    static RankMemory memory() {
        CudaDouble.JVM.calls("cuInit");
        CudaMemory memory = CudaMemory.ofRank(0, "mpi");
        OPENED.add(memory.device(0));
        return memory;
    }

    @Override
    default WorldContract.World open(int size) {
        return Ranks.open(size, engine());
    }

    @Override
    default TensorHome home() {
        return Home.ONE;
    }

    /** Links make reductions that MPI lacks for host tensors; no engine makes them for device tensors. */
    @Override
    default boolean reduces(Reduction reduction, DType type) {
        return Refusals.of(new CallKind(Operation.ALL_REDUCE, type, reduction, true)) == null;
    }

    /** The device home of the tests' tensors. */
    final class Home {

        private static final TensorHome ONE = DeviceHome.of(opened(), new Device("cuda", 0));

        private Home() {}

        private static CudaMemory opened() {
            CudaDouble.JVM.calls("cuInit");
            return CudaMemory.open(0, "tests");
        }
    }

    /** The ranks of a world. */
    record Ranks(LocalWorld world, List<DoubleMeeting> meetings, List<CudaDevice> devices)
            implements WorldContract.World {

        private static final long LIMIT_SECONDS = 20;

        static Ranks open(int size, String engine) {
            CudaDouble.JVM.forgetFaults();
            CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
            LocalWorld world = ReactiveComm.local(size, settings.withBackend("cpu:links,cuda:" + engine));
            List<CudaDevice> opened = new ArrayList<>();
            for (CudaDevice next = OPENED.poll(); next != null; next = OPENED.poll()) {
                opened.add(next);
            }
            return new Ranks(world, DoubleMeeting.taken(), opened);
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
            devices.forEach(device ->
                    device.ended().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join());
            assertThat(CudaDouble.JVM.faults()).as("faults in the use of CUDA").isEmpty();
        }
    }

    /** Worlds that stage tensors in host memory. */
    interface Staged extends CudaWorlds {

        @Override
        default String engine() {
            return STAGED;
        }
    }

    /** Worlds that pass device addresses. */
    interface Direct extends CudaWorlds {

        @Override
        default String engine() {
            return DIRECT;
        }
    }

    /** Worlds that stage tensors because of the variable. */
    interface Off extends CudaWorlds {

        @Override
        default String engine() {
            return OFF;
        }
    }
}
