package io.reactivecomm.compression.reduce;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import io.reactivecomm.testkit.device.FakeHome;

/** Local worlds whose tensors are on a device. */
interface DeviceWorlds extends Worlds {

    @Override
    default WorldContract.World open(int size) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return WorldContract.World.of(ReactiveComm.local(size, settings.withBackend("cpu:links,fake:fake")));
    }

    @Override
    default TensorHome home() {
        return FakeHome.ONE;
    }
}
