package io.reactivecomm.compression.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.device.Device;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.NeedsGcc;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import io.reactivecomm.testkit.device.DeviceHome;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;

/** Local worlds whose tensors are on a device of CUDA's, over the doubles. */
@ExtendWith(NeedsGcc.class)
public interface CudaWorlds extends Worlds {

    @Override
    default WorldContract.World open(int size) {
        CudaDouble.JVM.forgetFaults();
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return new Ranks(ReactiveComm.local(size, settings.withBackend("cpu:links,cuda:" + CudaDoubleProvider.NAME)));
    }

    @Override
    default TensorHome home() {
        return Home.ONE;
    }

    /** The device's memory, opened when a contract first needs it. */
    final class Home {

        private static final TensorHome ONE = home();

        private Home() {}

        private static TensorHome home() {
            CudaDouble.JVM.forgetFaults();
            return DeviceHome.of(CudaMemory.open(0, "test"), new Device(CudaMemory.KIND, 0));
        }
    }

    /** The ranks of one. */
    record Ranks(LocalWorld world) implements WorldContract.World {

        @Override
        public List<ProcessGroup> groups() {
            return world.groups();
        }

        @Override
        public void close() {
            world.close();
            assertThat(CudaDouble.JVM.faults()).as("faults in the use of CUDA").isEmpty();
        }
    }
}
