package io.reactivecomm.device;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.Worlds;
import io.reactivecomm.testkit.device.FakeHome;

/** Local worlds whose ranks have fake devices, with tensors on one of them. */
interface FakeWorlds extends Worlds {

    @Override
    default WorldContract.World open(int size) {
        return WorldContract.World.of(world(size));
    }

    @Override
    default TensorHome home() {
        return FakeHome.ONE;
    }

    static LocalWorld world(int size) {
        return ReactiveComm.local(
                size, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend("cpu:links,fake:fake"));
    }
}
